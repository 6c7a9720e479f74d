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
  const { rows } = await sql<StoredPayment>`
    select id as "invoiceId", paid_at as "paidAt" from invoice
    where source = ${source} and paid_at >= ${from} and paid_at < ${to} and id > ${after}::uuid
      and ${hasStatus(statuses)}
    order by id limit ${limit}`.execute(db);
  return rows;
}
