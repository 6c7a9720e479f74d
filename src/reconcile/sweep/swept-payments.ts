import { type Kysely, sql } from "kysely";
import type { Tables } from "../../database/tables.ts";

/** One payment of the list in the sweep's window, as it was when the sweep first met it. */
export interface Swept {
  invoiceId: string;
  /** It had no event. */
  missing: boolean;
  /** The sweep had it asked about. */
  opened: boolean;
  /** A callback had asked about it already. */
  called: boolean;
}

/** Notes payments that the sweep meets for the first time. @returns the ids of those. */
export async function noteSwept(
  db: Kysely<Tables>,
  sweepId: string,
  swept: readonly Swept[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    insert into swept_payment (sweep_id, invoice_id, missing, opened, called)
    select ${sweepId}, * from unnest(
      ${swept.map(({ invoiceId }) => invoiceId)}::uuid[], ${swept.map(({ missing }) => missing)}::boolean[],
      ${swept.map(({ opened }) => opened)}::boolean[], ${swept.map(({ called }) => called)}::boolean[])
    on conflict do nothing returning invoice_id as id`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** The payments that a sweep found without an event; in order of id, after the given one. */
export async function missingOf(
  db: Kysely<Tables>,
  sweepId: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom("swept_payment")
    .select("invoice_id as id")
    .where("sweep_id", "=", sweepId)
    .where("missing", "=", true)
    .$if(after !== null, (query) => query.where("invoice_id", ">", after ?? ""))
    .orderBy("invoice_id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Finished sweeps are kept for this long, and the last one of each collection for as long as it is the last.
 */
const KEPT = sql`interval '35 days'`;

/** At most so many in one go. */
const MOST_FORGOTTEN = 1_000;

/** What finished sweeps noted is not kept, nor are they themselves for ever. */
export async function forgetSwept(db: Kysely<Tables>): Promise<void> {
  await sql`
    delete from sweep where id in (
      select id from sweep as old
      where state = 'done' and finished_at < clock_timestamp() - ${KEPT}
        and (kind <> 'automatic' or exists (
          select from sweep as later
          where later.source = old.source and later.collection_id = old.collection_id
            and later.kind = 'automatic' and later.state = 'done' and later.started_at > old.started_at))
      order by finished_at limit ${MOST_FORGOTTEN})`.execute(db);
  await sql`
    delete from swept_payment where sweep_id in (
      select id from sweep where state = 'done'
        and finished_at < clock_timestamp() - interval '1 hour')`.execute(db);
}
