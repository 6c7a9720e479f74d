import type { Kysely } from "kysely";
import { verdictOf } from "../../confirm/queue/read-confirmations.ts";
import type { Tables } from "../../database/tables.ts";

/** All that a payer's page may learn: unpaid, unknown, invalid or quarantined look the same. */
export type PaymentState = "confirming" | "confirmed";

/**
 * Where the payment stands of the one invoice that a browser's callback named, going by the relay's own
 * confirmation for that callback's source.
 * @param id the callback's, a UUIDv7: its time says in which partition it stands.
 * @returns null when there is no such callback.
 */
export async function paymentState(db: Kysely<Tables>, id: string): Promise<PaymentState | null> {
  const callback = await db
    .selectFrom("callback")
    .select(["source", "invoice_ids"])
    .where("received_at", "=", receivedAt(id))
    .where("id", "=", id)
    .where("method", "=", "GET")
    .executeTakeFirst();
  const [invoiceId, ...others] = callback?.invoice_ids ?? [];
  if (callback === undefined || invoiceId === undefined || others.length > 0) return null;
  const verdict = await verdictOf(db, { invoiceId, source: callback.source });
  return verdict === "paid" ? "confirmed" : "confirming";
}

/** The time inside a callback's id. */
export const receivedAt = (id: string): Date =>
  new Date(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));
