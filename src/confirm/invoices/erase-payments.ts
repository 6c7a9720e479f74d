import { type Kysely, type RawBuilder, sql } from "kysely";
import { returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import { ERASED_COLUMNS } from "../../kit/personal-fields.ts";
import { erasedDocument } from "./payment.ts";

interface Given {
  invoiceId: string;
  sources: readonly string[];
}

/** The merchant's own name for an invoice, in the books of one source. */
export interface ReferenceOfInvoice {
  source: string;
  reference: string;
}

const NOTHING_PERSONAL = sql.join(ERASED_COLUMNS.map((column) => sql`${sql.ref(column)} = null`));

const erasing = new Statement(
  {
    found: returned.count,
    references: returned.json<ReferenceOfInvoice[]>(),
    invoices: returned.count,
    snapshots: returned.count,
  },
  ({ value }: Slots<Given>) => {
    const id = sql`${value(({ invoiceId }) => invoiceId)}::uuid`;
    const sources = sql`${value((given) => given.sources)}::text[]`;
    const document = sql`${value(({ invoiceId }) => erasedDocument(invoiceId))}::json`;
    return sql`
      with known as (
        select count(*) as found,
          coalesce(json_agg(json_build_object('source', source, 'reference', reference))
            filter (where reference is not null), '[]') as references
        from invoice where source = any(${sources}) and id = ${id}),
      invoices as (
        update invoice set erased_at = clock_timestamp(), document = ${document}, ${NOTHING_PERSONAL}
        where source = any(${sources}) and id = ${id} and erased_at is null
        returning 1),
      snapshots as (
        update invoice_snapshot set erased_at = clock_timestamp(), document = ${document}
        where source = any(${sources}) and invoice_id = ${id} and erased_at is null
        returning 1)
      select known.found, known.references, (select count(*) from invoices) as invoices,
        (select count(*) from snapshots) as snapshots
      from known`;
  },
);

/**
 * Blanks the personal data of an invoice and of its snapshots; ids and amounts stay.
 * @param sources all that may hold it: the tables are looked up by source first.
 * @returns `found`: in how many sources it is stored; the references that it had until now; the others: how
 *   many rows were blanked.
 */
export async function erasePayments(
  db: Kysely<Tables>,
  invoiceId: string,
  sources: readonly string[],
): Promise<{ found: number; references: ReferenceOfInvoice[]; invoices: number; snapshots: number }> {
  const [erased] = await erasing.execute(db, { invoiceId, sources });
  return erased ?? { found: 0, references: [], invoices: 0, snapshots: 0 };
}

/** A condition: an invoice that is not erased has this reference. */
export const isHeldLegibly = (
  source: RawBuilder<unknown>,
  reference: RawBuilder<unknown>,
): RawBuilder<boolean> => sql`
  exists (select from invoice as holder
    where holder.reference = ${reference} and holder.source = ${source} and holder.erased_at is null)`;

/** A condition: one of these ids is that of an invoice that is not erased. */
export const namesLegibleInvoice = (
  source: RawBuilder<unknown>,
  ids: RawBuilder<unknown>,
): RawBuilder<boolean> => sql`
  exists (select from invoice as named
    where named.source = ${source} and named.id = any(${ids}) and named.erased_at is null)`;
