import { type Kysely, sql } from "kysely";
import { returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import type { OutboxState } from "./event.ts";

interface Given {
  /** Sources that have a topic for Test invoices today. */
  withTopic: readonly string[];
  withoutTopic: readonly string[];
  most: number;
}

const moving = new Statement({ state: returned.text<OutboxState>() }, ({ value }: Slots<Given>) => {
  const taking = (state: "held" | "due", sources: (given: Given) => readonly string[]) => sql`
    select ctid from outbox
    where state = ${sql.lit(state)} and invoice_type = 'Test' and source = any(${value(sources)}::text[])
    limit ${value(({ most }) => most)} for update skip locked`;
  return sql`
    with held as (${taking("held", ({ withTopic }) => withTopic)}),
    due as (${taking("due", ({ withoutTopic }) => withoutTopic)})
    update outbox set state = case state when 'held' then 'due' else 'held' end, due_at = clock_timestamp()
    where ctid = any (array(select ctid from held union all select ctid from due))
    returning state`;
});

/** The most events moved at once each way: so many are written well within a statement's time. */
const AT_ONCE = 5_000;

/**
 * Lets the events of Test invoices go, or holds them, by whether their source has a topic for them today.
 * Only the route of Test events is theirs: none of them reaches a live topic.
 * @returns how many are due now, and whether there may be more to move either way.
 */
export async function holdOrRelease(
  db: Kysely<Tables>,
  sources: readonly { name: string; snsTestTopicArn: string | null }[],
): Promise<{ released: number; more: boolean }> {
  const named = (isWanted: boolean) =>
    sources.filter(({ snsTestTopicArn }) => (snsTestTopicArn !== null) === isWanted).map(({ name }) => name);
  const moved = await moving.execute(db, {
    withTopic: named(true),
    withoutTopic: named(false),
    most: AT_ONCE,
  });
  const released = moved.filter(({ state }) => state === "due").length;
  return { released, more: released >= AT_ONCE || moved.length - released >= AT_ONCE };
}
