import { type Kysely, sql } from "kysely";
import type { ConfirmationState, Verdict } from "../confirmations/confirmation.ts";
import type { Tables } from "../database/tables.ts";
import type { OutboxState } from "../outbox/event.ts";

/** How old the oldest open work is, in s; 0 when there is none. */
export interface BacklogAges {
  /** How long the oldest due confirmation has been overdue. */
  oldestConfirmationSeconds: number;
  /** Age of the oldest event that should be published and is not. */
  oldestEventSeconds: number;
}

/** How much is open, and since when. */
export interface Backlog extends BacklogAges {
  confirmations: { state: ConfirmationState; verdict: Verdict | null; count: number }[];
  outbox: { state: OutboxState; count: number }[];
}

export async function readBacklogAges(db: Kysely<Tables>): Promise<BacklogAges> {
  const { rows } = await sql<{ confirmation: number | null; event: number | null }>`
    select
      (select extract(epoch from clock_timestamp() - least(
        (select min(due_at) from confirmation where state = 'due' and due_at <= now()),
        (select min(due_at) from confirmation where state = 'claimed' and due_at <= now()))))::float8
        as confirmation,
      (select extract(epoch from clock_timestamp() - min(event.created_at)) from outbox
        join event on event.source = outbox.source and event.id = outbox.event_id
        where outbox.state in ('due', 'claimed'))::float8 as event`.execute(db);
  return {
    oldestConfirmationSeconds: Math.max(0, rows[0]?.confirmation ?? 0),
    oldestEventSeconds: Math.max(0, rows[0]?.event ?? 0),
  };
}

/** Live work of one source that is due. */
export interface WaitingSource {
  source: string;
  count: number;
  /** How long the oldest has been overdue, in s. */
  oldestSeconds: number;
}

/** Confirmations that are due, source by source; replays wait as long as live traffic has to go first. */
export async function readWaiting(db: Kysely<Tables>): Promise<WaitingSource[]> {
  const { rows } = await sql<WaitingSource>`
    select source, count(*) as count,
      extract(epoch from clock_timestamp() - min(due_at))::float8 as "oldestSeconds"
    from confirmation where state = 'due' and due_at <= now() and priority <> 'replay'
    group by source order by source`.execute(db);
  return rows;
}

/** Without what is done, which grows without end: state by state, as the indexes have it. */
export async function readBacklog(db: Kysely<Tables>): Promise<Backlog> {
  const counting = (["due", "claimed", "dead"] as const).map(
    (state) => sql`select state, verdict, count(*) as count from confirmation
      where state = ${sql.lit(state)} group by state, verdict`,
  );
  const { rows } = await sql<Backlog["confirmations"][number]>`
    ${sql.join(counting, sql` union all `)}`.execute(db);
  return { ...(await readBacklogAges(db)), confirmations: rows, outbox: await countOutbox(db) };
}

const countOutbox = (db: Kysely<Tables>): Promise<Backlog["outbox"]> =>
  db
    .selectFrom("outbox")
    .select(["state", sql<number>`count(*)`.as("count")])
    .groupBy("state")
    .execute();
