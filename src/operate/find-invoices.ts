import type { Kysely } from "kysely";
import type { Page, Place } from "../database/page.ts";
import { walk } from "../database/page.ts";
import type { Tables } from "../database/tables.ts";
import {
  type FoundInvoice,
  type InvoiceTerms,
  invoicesByPayment,
  invoicesByRequest,
  invoicesNamed,
} from "./list-invoices.ts";

/** So many rows are looked at by one statement, whatever the filters leave of them. */
const STRETCH = 2_000;

/** A page looks no longer than that, in ms, and says where to go on. */
const LOOKING_MS = 100;

/**
 * A page of invoices that all terms match: those with this id, reference or address, the newest first; those
 * with a verdict that is not paid, the last asked about first; else in the order of payment, the last first.
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
