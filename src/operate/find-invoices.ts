import type { Kysely } from "kysely";
import type { Page, Place } from "../database/page.ts";
import { walk } from "../database/page.ts";
import type { Tables } from "../database/tables.ts";
import type { FoundInvoice, InvoiceTerms } from "./invoice-terms.ts";
import { invoicesByPayment, invoicesByRequest, invoicesNamed } from "./list-invoices.ts";

/** How many rows one statement examines, however few match. */
const STRETCH = 2_000;

/** How long the search for one page may take, in ms; the page says where to continue. */
const LOOKING_MS = 100;

/**
 * A page of invoices that match all terms: with an id, reference or e-mail address, newest first; with a
 * verdict other than paid, last requested first; otherwise by payment date, newest first.
 */
export async function findInvoices(
  db: Kysely<Tables>,
  terms: InvoiceTerms,
  { from, limit }: { from: Place | null; limit: number },
): Promise<Page<FoundInvoice>> {
  if ((terms.id ?? terms.reference ?? terms.email) !== undefined)
    return { items: await invoicesNamed(db, terms, limit), next: null };
  const isNarrowed = terms.collection !== undefined || terms.amount !== undefined;
  const read =
    terms.verdict !== undefined && terms.verdict !== "paid" ? invoicesByRequest : invoicesByPayment;
  const most = isNarrowed || terms.verdict !== undefined || terms.source !== undefined ? STRETCH : limit + 1;
  return await walk({
    from,
    limit,
    withinMs: LOOKING_MS,
    look: (after) => read(db, terms, after, most),
  });
}
