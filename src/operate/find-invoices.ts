import type { Kysely } from "kysely";
import { type Page, type PagePosition, walk } from "../database/page.ts";
import type { Tables } from "../database/tables.ts";
import type { InvoiceTerms } from "./invoice-terms.ts";
import {
  type FoundInvoice,
  invoicesByPayment,
  invoicesByRequest,
  invoicesNamed,
  invoicesOfId,
} from "./list-invoices.ts";

/** How many rows one statement examines, however few match. */
const STRETCH = 2_000;

/** How long the search for one page may take, in ms; the page says where to continue. */
const LOOKING_MS = 100;

/**
 * A page of invoices that match all terms: with an id, one for each source; with a reference or e-mail
 * address, last confirmed first; with a verdict other than paid, last requested first; otherwise by payment
 * date, newest first.
 */
export async function findInvoices(
  db: Kysely<Tables>,
  terms: InvoiceTerms,
  { from, limit }: { from: PagePosition | null; limit: number },
): Promise<Page<FoundInvoice>> {
  const { id, reference, email, verdict } = terms;
  if (id !== undefined) return { items: await invoicesOfId(db, { ...terms, id }), next: null };
  const isNamed = (reference ?? email) !== undefined;
  const isNarrowed = (terms.collection ?? terms.amount ?? verdict ?? terms.source) !== undefined;
  const unpaid = verdict !== undefined && verdict !== "paid";
  const read = isNamed ? invoicesNamed : unpaid ? invoicesByRequest : invoicesByPayment;
  const most = isNarrowed && !isNamed ? STRETCH : limit + 1;
  return await walk({
    from,
    limit,
    withinMs: LOOKING_MS,
    look: (after) => read(db, terms, after, most),
  });
}
