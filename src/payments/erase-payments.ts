import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { erasedDocument } from "./payment.ts";

/**
 * Blanks the personal data of an invoice and of its snapshots; ids and amounts stay.
 * @param sources all that may hold it: the tables are looked up by source first.
 * @returns `found`: how many rows are about it; the others: how many were blanked.
 */
export async function erasePayments(
  db: Kysely<Tables>,
  invoiceId: string,
  sources: readonly string[],
): Promise<{ found: number; invoices: number; snapshots: number }> {
  const { rows } = await sql<{ found: number; invoices: number; snapshots: number }>`
    with known as (
      select count(*) as found from invoice where source = any(${sources}::text[]) and id = ${invoiceId}),
    invoices as (
      update invoice set erased_at = clock_timestamp(), document = ${erasedDocument(invoiceId)},
        title = null, reference = null
      where source = any(${sources}::text[]) and id = ${invoiceId} and erased_at is null
      returning 1),
    snapshots as (
      update invoice_snapshot set erased_at = clock_timestamp(), document = ${erasedDocument(invoiceId)}
      where source = any(${sources}::text[]) and invoice_id = ${invoiceId} and erased_at is null
      returning 1)
    select known.found, (select count(*) from invoices) as invoices, (select count(*) from snapshots) as snapshots
    from known`.execute(db);
  return rows[0] ?? { found: 0, invoices: 0, snapshots: 0 };
}
