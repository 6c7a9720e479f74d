import { type Kysely, sql } from "kysely";
import { returned, type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { erasedDocument } from "./payment.ts";

interface Given {
  invoiceId: string;
  sources: readonly string[];
}

const erasing = new Statement(
  { found: returned.count, invoices: returned.count, snapshots: returned.count },
  ({ value }: Slots<Given>) => {
    const id = sql`${value(({ invoiceId }) => invoiceId)}::uuid`;
    const sources = sql`${value((given) => given.sources)}::text[]`;
    const document = sql`${value(({ invoiceId }) => erasedDocument(invoiceId))}::json`;
    return sql`
      with known as (select count(*) as found from invoice where source = any(${sources}) and id = ${id}),
      invoices as (
        update invoice set erased_at = clock_timestamp(), document = ${document}, title = null,
          reference = null, payer_email_hash = null
        where source = any(${sources}) and id = ${id} and erased_at is null
        returning 1),
      snapshots as (
        update invoice_snapshot set erased_at = clock_timestamp(), document = ${document}
        where source = any(${sources}) and invoice_id = ${id} and erased_at is null
        returning 1)
      select known.found, (select count(*) from invoices) as invoices,
        (select count(*) from snapshots) as snapshots
      from known`;
  },
);

/**
 * Blanks the personal data of an invoice and of its snapshots; ids and amounts stay.
 * @param sources all that may hold it: the tables are looked up by source first.
 * @returns `found`: in how many sources it is stored; the others: how many rows were blanked.
 */
export async function erasePayments(
  db: Kysely<Tables>,
  invoiceId: string,
  sources: readonly string[],
): Promise<{ found: number; invoices: number; snapshots: number }> {
  const [erased] = await erasing.execute(db, { invoiceId, sources });
  return erased ?? { found: 0, invoices: 0, snapshots: 0 };
}
