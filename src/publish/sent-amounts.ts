import { typed } from "../database/expressions.ts";
import { nullable, returned } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { inPayload, isPaymentEvent } from "./event.ts";

/** The amounts of these invoices in their events, as they were sent; null in one that names none. */
export async function readSentAmounts(
  db: Database,
  source: string,
  invoiceIds: readonly string[],
): Promise<Map<string, string | null>> {
  if (invoiceIds.length === 0) return new Map();
  const sent = await db
    .selectFrom("event")
    .select(["invoice_id as id", typed(nullable(returned.text()), inPayload("amount")).as("amount")])
    .where("source", "=", source)
    .where("invoice_id", "in", [...invoiceIds])
    .where(isPaymentEvent)
    .execute();
  return new Map(sent.map(({ id, amount }) => [id, amount]));
}
