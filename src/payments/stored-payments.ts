import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

/** A condition on rows of `invoice`: its status is one of these, compared without case. */
export const hasStatus = (statuses: readonly string[]) => sql<boolean>`
  lower(btrim(invoice.status)) = any(${statuses.map((status) => status.trim().toLowerCase())}::text[])`;

export interface StoredPayment {
  invoiceId: string;
  paidAt: Date;
}

/** Invoices that are stored as paid in a window, in order of id, after the given one. */
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
    .where(hasStatus(statuses))
    .orderBy("id")
    .limit(limit)
    .$narrowType<{ paidAt: Date }>()
    .execute();
}
