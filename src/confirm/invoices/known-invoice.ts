import { type Kysely, sql } from "kysely";
import { nullable, perhaps, type RowOf, returned } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";

const KNOWN = {
  status: returned.text(),
  type: nullable(returned.text()),
  modifiedAt: nullable(returned.time),
  amount: nullable(returned.numeric),
  totalAmount: nullable(returned.numeric),
  digest: returned.text(),
};

/** What the relay last knew of an invoice. */
export type KnownInvoice = RowOf<typeof KNOWN>;

/** What a claim reads of the invoice that it is about. */
export const KNOWN_INVOICE = perhaps(KNOWN);

/** The select list for KNOWN_INVOICE, in a query that joins `joiningInvoice`. */
export const knownInvoice = sql`
  invoice.status, invoice.type, invoice.modified_at as "modifiedAt", invoice.amount,
  invoice.total_amount as "totalAmount", invoice.digest`;

/**
 * Joins the invoice of the rows of `claimed`, confirmations. Each is looked up by itself: for a plain join
 * Postgres might read all invoices, by a plan from a time when there were few.
 */
export const joiningInvoice = sql`
  left join lateral (select * from invoice
    where invoice.source = claimed.source and invoice.id = claimed.invoice_id limit 1) as invoice on true`;

/**
 * A condition on rows of `asked`: nothing is stored of its invoice. Not `not exists`, which Postgres would
 * turn into a join with all invoices.
 */
export const noInvoiceIsKnown = sql<boolean>`
  (select invoice.id from invoice
    where invoice.source = asked.source and invoice.id = asked.invoice_id) is null`;

/** null when nothing is stored. */
export const knownInvoiceIn = ({
  status,
  type,
  modifiedAt,
  amount,
  totalAmount,
  digest,
}: RowOf<typeof KNOWN_INVOICE>): KnownInvoice | null =>
  status === null || digest === null ? null : { status, type, modifiedAt, amount, totalAmount, digest };

/** The invoice that was paid last, and so one that the provider knew; null when none is stored as paid. */
export async function newestInvoiceId(db: Kysely<Tables>, source: string): Promise<string | null> {
  const row = await db
    .selectFrom("invoice")
    .select("id")
    .where("source", "=", source)
    .where("paid_at", "is not", null)
    .orderBy("paid_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}
