import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import { Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { topicIsOpen } from "../database/topic-is-open.ts";
import { newId } from "../kit/new-id.ts";
import type { ClaimedEvent } from "./entry.ts";

/** Which events go to which topic. */
export interface Route {
  source: string;
  invoiceType: "Live" | "Test";
  topicArn: string;
}

export interface EventClaim {
  events: ClaimedEvent[];
  /** When the topic opens again, in ms; null when it is open, or paused by an operator. */
  opensInMs: number | null;
  /** The topic failed lately, in whichever process: these events show whether it works again. */
  probing: boolean;
}

interface TopicRow {
  pausedBy: "operator" | "refused" | null;
  opensInMs: number;
  open: boolean;
}

/**
 * Takes due events of one route. A topic that is well needs one statement. One that is paused or backs off gives
 * nothing; one that failed is tried with a single event, and stays shut for the others until that one is through.
 */
export async function claimEvents(
  db: Kysely<Tables>,
  route: Route,
  wanted: number,
  leaseMs: number,
): Promise<EventClaim> {
  const taken = await takeDue(db, WHEN_OPEN, { route, wanted, leaseMs });
  if (taken.open) return { events: taken.events, opensInMs: null, probing: false };
  return await db.transaction().execute((trx) => claimUnderLock(trx, route, wanted, leaseMs));
}

async function claimUnderLock(
  trx: Transaction<Tables>,
  route: Route,
  wanted: number,
  leaseMs: number,
): Promise<EventClaim> {
  const { rows } = await sql<TopicRow>`
    select set_config('synchronous_commit', 'off', true), paused_by as "pausedBy",
      case when opens_at = '-infinity' then 0 else extract(epoch from opens_at - clock_timestamp()) * 1000 end::float8 as "opensInMs",
      ${topicIsOpen} as open
    from topic where arn = ${route.topicArn} for update`.execute(trx);
  const [topic] = rows;
  if (topic === undefined)
    throw new Error(`The topic ${route.topicArn} has no row: it is made when serve starts`);
  if (topic.pausedBy === "operator") return { events: [], opensInMs: null, probing: false };
  if (topic.opensInMs > 0) return { events: [], opensInMs: topic.opensInMs, probing: false };
  const { events } = await takeDue(trx, ALLOWED, { route, wanted: topic.open ? wanted : 1, leaseMs });
  // It was opened a moment ago: nothing to try out, and nobody to keep away meanwhile.
  if (topic.open) return { events, opensInMs: null, probing: false };
  if (events.length > 0) {
    await sql`update topic set opens_at = clock_timestamp() + ${leaseMs}::float8 * interval '1 ms' where arn = ${route.topicArn}`.execute(
      trx,
    );
  }
  return { events, opensInMs: null, probing: true };
}

interface Taking {
  route: Route;
  wanted: number;
  leaseMs: number;
}

const taking = (gate: (topicArn: RawBuilder<unknown>) => RawBuilder<unknown>) =>
  new Statement<Taking, ClaimedEvent & { open: boolean }>(
    ({ value }) => sql`
      with gate as materialized (${gate(value(({ route }) => route.topicArn))}),
      taken as (
        select id from event
        where source = ${value(({ route }) => route.source)} and invoice_type = ${value(({ route }) => route.invoiceType)}
          and state = 'due' and due_at <= now() and exists (select from gate)
        order by due_at limit ${value(({ wanted }) => wanted)} for update skip locked),
      claimed as (
        update event set state = 'claimed', lease_token = ${value(() => newId())},
          claimed_until = clock_timestamp() + ${value(({ leaseMs }) => leaseMs)}::float8 * interval '1 ms'
        from taken where event.id = taken.id
        returning event.*)
      select exists (select from gate) as open, id, lease_token as "leaseToken", invoice_id as "invoiceId", source, type,
        invoice_type as "invoiceType", collection_name as "collectionName", payload, attempt
      from (select) as always left join claimed on true`,
  );

const WHEN_OPEN = taking(
  (topicArn) => sql`
    select arn from topic
    where arn = ${topicArn} and ${topicIsOpen} and set_config('synchronous_commit', 'off', true) is not null`,
);

/** For whoever holds the topic's row and has seen that it may be tried. */
const ALLOWED = taking((topicArn) => sql`select ${topicArn}::text as arn`);

async function takeDue(
  db: Kysely<Tables>,
  statement: typeof WHEN_OPEN,
  given: Taking,
): Promise<{ open: boolean; events: ClaimedEvent[] }> {
  const { rows } = await statement.execute(db, given);
  return { open: rows[0]?.open === true, events: rows.filter((row) => row.id !== null) };
}
