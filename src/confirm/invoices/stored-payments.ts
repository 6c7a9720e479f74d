import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../../database/tables.ts";
import { plainStatuses } from "./status-class.ts";

/** A condition on rows of `invoice`: the status is one of these. @param statuses made by `plainStatuses`. */
export const hasStatus = (statuses: RawBuilder<unknown>) =>
  sql<boolean>`lower(btrim(invoice.status)) = any(${statuses}::text[])`;

export interface StoredPayment {
  invoiceId: string;
  paidAt: Date;
}

/** Up to `limit` invoices that are stored as paid in a period, by id, from the one after `after`. */
export async function readStoredPayments(
  db: Kysely<Tables>,
  source: string,
  { from, to, statuses }: { from: Date; to: Date; statuses: readonly string[] },
  after: string,
  limit: number,
): Promise<StoredPayment[]> {
  return await db
    .selectFrom("invoice")
    .select(["id as invoiceId", "paid_at as paidAt"])
    .where("source", "=", source)
    .where("paid_at", ">=", from)
    .where("paid_at", "<", to)
    .where("id", ">", after)
    .where(hasStatus(sql`${plainStatuses(statuses)}`))
    .orderBy("id")
    .limit(limit)
    .$narrowType<{ paidAt: Date }>()
    .execute();
}
