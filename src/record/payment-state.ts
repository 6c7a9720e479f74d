import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

/** All that a payer's page may learn: unpaid, unknown, invalid or quarantined look the same. */
export type PaymentState = "confirming" | "confirmed";

/**
 * How it stands with the payment of the one invoice that a browser's callback named, by the relay's own
 * confirmation for that callback's source.
 * @param id the callback's, a UUIDv7: its time says in which partition it stands.
 * @returns null when there is no such callback.
 */
export async function paymentState(db: Kysely<Tables>, id: string): Promise<PaymentState | null> {
  const { rows } = await sql<{ state: PaymentState }>`
    select case when exists (
      select from confirmation
      where invoice_id = callback.invoice_ids[1] and source = callback.source and verdict = 'paid'
    ) then 'confirmed' else 'confirming' end as state
    from callback
    where received_at = ${receivedAt(id).toISOString()}::timestamptz and id = ${id}::uuid
      and method = 'GET' and cardinality(invoice_ids) = 1`.execute(db);
  return rows[0]?.state ?? null;
}

/** The time inside a callback's id. */
export const receivedAt = (id: string): Date =>
  new Date(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));
