import type { Kysely } from "kysely";
import { type Page, type PagePosition, walk } from "../database/page.ts";
import type { Tables } from "../database/tables.ts";
import { isUuid } from "../kit/ids.ts";
import {
  type FoundInvoice,
  type InvoiceTerms,
  invoicesByConfirmation,
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
 * address, last confirmed first; with a verdict other than paid, last requested first; with a status or days
 * of confirmation and no days of payment, last confirmed first, those of the last 30 days unless days are
 * given; otherwise by payment date, newest first.
 */
export async function findInvoices(
  db: Kysely<Tables>,
  terms: InvoiceTerms,
  { from, limit }: { from: PagePosition | null; limit: number },
): Promise<Page<FoundInvoice>> {
  const { id, reference, email, verdict } = terms;
  if (id !== undefined) return { items: await invoicesOfId(db, { ...terms, id }), next: null };
  const isNamed = (reference ?? email) !== undefined;
  const isNarrowed =
    (terms.collection ?? terms.amount ?? verdict ?? terms.source ?? terms.status) !== undefined;
  const read = isNamed
    ? invoicesNamed
    : verdict !== undefined && verdict !== "paid"
      ? invoicesByRequest
      : isByConfirmation(terms)
        ? invoicesByConfirmation
        : invoicesByPayment;
  const most = isNarrowed && !isNamed ? STRETCH : limit + 1;
  return await walk({
    from,
    limit,
    withinMs: LOOKING_MS,
    look: (after) => read(db, terms, after, most),
  });
}

const isByConfirmation = ({ status, from, to, confirmedFrom, confirmedTo }: InvoiceTerms): boolean =>
  (from ?? to) === undefined && (status ?? confirmedFrom ?? confirmedTo) !== undefined;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const AMOUNT = /^\d{1,3}(,?\d{3}){0,6}(\.\d{1,10})?$/;

/**
 * What a text in the search box may mean, the likeliest first; the next one is tried when it finds nothing.
 * Pure.
 */
export function meantBy(text: string): InvoiceTerms[] {
  const typed = text.trim();
  if (typed === "") return [{}];
  if (isUuid(typed)) return [{ id: typed.toLowerCase() }];
  if (typed.includes("@")) return [{ email: typed }];
  if (DAY.test(typed) && !Number.isNaN(Date.parse(typed))) return [{ from: typed, to: typed }];
  if (AMOUNT.test(typed)) return [{ reference: typed }, { amount: typed.replaceAll(",", "") }];
  return [{ reference: typed }];
}
