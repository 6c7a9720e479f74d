import type { Kysely } from "kysely";
import type { Tables } from "../../database/tables.ts";

/**
 * What the provider last confirmed of an invoice, without personal data.
 * @returns null when nothing is stored.
 */
export async function readPayment(db: Kysely<Tables>, key: { invoiceId: string; source: string }) {
  const row = await db
    .selectFrom("invoice")
    .select([
      "status",
      "total_amount as totalAmount",
      "collection_name as collection",
      "confirmed_at as confirmedAt",
    ])
    .where("source", "=", key.source)
    .where("id", "=", key.invoiceId)
    .executeTakeFirst();
  return row ?? null;
}
