import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

/** The tables whose rows are worked on under a lease: `state`, `lease_token`, `claimed_until`, `due_at`. */
export type LeasedTable = "confirmation" | "event" | "sweep" | "certificate";

/**
 * Rows under a lease that nobody is writing at this moment. One that is locked is just being settled, and needs
 * neither more time nor a rescue; waiting for it could deadlock with the statement that settles many.
 */
const unlocked = (table: LeasedTable, condition: RawBuilder<unknown>) => sql`
  ctid = any (array(select ctid from ${sql.table(table)} where state = 'claimed' and ${condition} for update skip locked))`;

/**
 * Work whose lease ran out goes back: its worker died or hangs, and the next one takes it up (G7).
 * @returns how many rows.
 */
export async function releaseExpired(db: Kysely<Tables>, table: LeasedTable): Promise<number> {
  const { rows } = await sql`
    update ${sql.table(table)} set state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null
    where ${unlocked(table, sql`claimed_until < now()`)}
    returning 1`.execute(db);
  return rows.length;
}

/** Gives back questions that were claimed and not asked, due at once; one that is no longer held is left alone. */
export async function releaseQuestions(
  db: Kysely<Tables>,
  held: readonly { invoiceId: string; leaseToken: string }[],
): Promise<void> {
  if (held.length === 0) return;
  await sql`
    with held as (
      select question.invoice_id, question.source
      from confirmation as question
      join unnest(${held.map((work) => work.invoiceId)}::uuid[], ${held.map((work) => work.leaseToken)}::uuid[])
        as ours (invoice_id, lease_token) using (invoice_id, lease_token)
      where question.state = 'claimed'
      order by question.invoice_id, question.source
      for update of question)
    update confirmation as question set state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null
    from held where question.invoice_id = held.invoice_id and question.source = held.source`.execute(db);
}

/** Gives back events that were leased and not sent, due at once; one that is no longer held is left alone. */
export async function releaseEvents(
  db: Kysely<Tables>,
  held: readonly { id: string; leaseToken: string }[],
): Promise<void> {
  if (held.length === 0) return;
  const ids = held.map((event) => event.id);
  const tokens = [...new Set(held.map((event) => event.leaseToken))];
  await sql`
    update event set state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null
    where ${unlocked("event", sql`id = any(${ids}::uuid[]) and lease_token = any(${tokens}::uuid[])`)}`.execute(
    db,
  );
}

/** Extends the leases that are still held; one that another worker took over stays theirs. */
export async function extendLeases(
  db: Kysely<Tables>,
  table: LeasedTable,
  tokens: readonly string[],
  leaseMs: number,
): Promise<void> {
  if (tokens.length === 0) return;
  await sql`
    update ${sql.table(table)} set claimed_until = clock_timestamp() + ${leaseMs}::float8 * interval '1 ms'
    where ${unlocked(table, sql`lease_token = any(${tokens}::uuid[])`)}`.execute(db);
}
