import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

/** The tables whose rows are worked on under a lease: `state`, `lease_token`, `claimed_until`, `due_at`. */
export type LeasedTable = "confirmation" | "event" | "sweep" | "certificate";

/**
 * Work whose lease ran out goes back: its worker died or hangs, and the next one takes it up (G7).
 * @returns how many rows.
 */
export async function releaseExpired(db: Kysely<Tables>, table: LeasedTable): Promise<number> {
  const { rows } = await sql`
    update ${sql.table(table)} set state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null
    where state = 'claimed' and claimed_until < now()
    returning 1`.execute(db);
  return rows.length;
}

/** Gives back work that was claimed and not begun, due at once; what is no longer held under its lease is left alone. */
export async function releaseLeases(
  db: Kysely<Tables>,
  table: "confirmation",
  held: readonly { invoiceId: string; leaseToken: string }[],
): Promise<void> {
  if (held.length === 0) return;
  await sql`
    update ${sql.table(table)} as row set state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null
    from unnest(${held.map((work) => work.invoiceId)}::uuid[], ${held.map((work) => work.leaseToken)}::uuid[]) as held (invoice_id, lease_token)
    where row.invoice_id = held.invoice_id and row.lease_token = held.lease_token and row.state = 'claimed'`.execute(
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
    where state = 'claimed' and lease_token = any(${tokens}::uuid[])`.execute(db);
}
