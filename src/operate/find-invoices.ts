import { invoicesBeginning } from "../confirm/invoices/read-invoices.ts";
import { type Page, type PagePosition, walk } from "../database/page.ts";
import type { Database } from "../database/tables.ts";
import { type IdRange, idRange } from "../kit/ids.ts";
import { invoicesOfEvents } from "../publish/read-events.ts";
import { callbacksBeginning, invoicesCalledAs } from "../receive/log/list-callbacks.ts";
import { certificatesBeginning } from "../reconcile/read-certificates.ts";
import { replaysBeginning } from "../replay/replay-rows.ts";
import { meantBy, wordsFor } from "./find-meaning.ts";
import type { InvoiceTerms } from "./invoice-terms.ts";
import {
  type FoundInvoice,
  invoicesByPayment,
  invoicesByRequest,
  invoicesNamed,
  invoicesOfIds,
  walkByConfirmation,
} from "./list-invoices.ts";

/** How many rows one statement examines, however few match. */
const STRETCH = 2_000;

/** How long the search for one page may take, in ms; the page says where to continue. */
const LOOKING_MS = 100;
/** The same where no index knows the order, so that each page has to find its pace anew. */
const LONG_LOOKING_MS = 1_000;

/** The most ids that share a beginning, or a callback's reference, to look up. */
const ID_LIMIT = 200;

interface PageWanted {
  from: PagePosition | null;
  limit: number;
}

/**
 * A page of invoices that match all terms: by id, or by what ids begin with, one for each source; with a
 * reference or e-mail address, last confirmed first; with a verdict other than paid, last requested first;
 * with a status, a payer's name or days of confirmation and no days of payment, last confirmed first;
 * otherwise by payment date, newest first.
 */
export async function findInvoices(
  db: Database,
  terms: InvoiceTerms,
  { from, limit }: PageWanted,
): Promise<Page<FoundInvoice>> {
  const { id, idPrefix, reference, email, verdict } = terms;
  const range = idRange(id ?? idPrefix ?? "");
  if (range !== null)
    return { items: await invoicesOfIds(db, terms, await idsWithin(db, range)), next: null };
  const isNamed = (reference ?? email) !== undefined;
  const isByRequest = !isNamed && verdict !== undefined && verdict !== "paid";
  const walking = { from, limit, withinMs: LOOKING_MS };
  if (!isNamed && !isByRequest && isByConfirmation(terms)) {
    const look = await walkByConfirmation(db, terms, limit + 1);
    return await walk({ ...walking, withinMs: LONG_LOOKING_MS, look });
  }
  const isNarrowed = (terms.collection ?? terms.amount ?? verdict ?? terms.source) !== undefined;
  const read = isNamed ? invoicesNamed : isByRequest ? invoicesByRequest : invoicesByPayment;
  const most = isNarrowed && !isNamed ? STRETCH : limit + 1;
  const page = await walk({ ...walking, look: (after) => read(db, terms, after, most) });
  if (reference === undefined || from !== null || page.next !== null || page.items.length > 0) return page;
  // Nothing was confirmed under this reference: callbacks that came with it name what is still open.
  const called = await invoicesCalledAs(db, reference, ID_LIMIT);
  return called.length === 0 ? page : { items: await invoicesOfIds(db, terms, called), next: null };
}

async function idsWithin(db: Database, range: IdRange): Promise<string[]> {
  if (range.first === range.last) {
    const ofEvents = await invoicesOfEvents(db, range, ID_LIMIT);
    return [range.first, ...ofEvents];
  }
  const [own, ofEvents] = [
    await invoicesBeginning(db, range, ID_LIMIT),
    await invoicesOfEvents(db, range, ID_LIMIT),
  ];
  return [...new Set([...own, ...ofEvents])].slice(0, ID_LIMIT);
}

const isByConfirmation = ({ status, payer, from, to, confirmedFrom, confirmedTo }: InvoiceTerms): boolean =>
  (from ?? to) === undefined && (status ?? payer ?? confirmedFrom ?? confirmedTo) !== undefined;

/** The most callbacks, certificates and replays of an id's beginning to name. */
const OTHER_LIMIT = 10;

/** What the text of the search box finds. A further page is of the same meaning: those before it find nothing. */
export async function searchInvoices(
  db: Database,
  { text, today, ...terms }: InvoiceTerms & { text: string; today: string },
  wanted: PageWanted,
) {
  // In this order; all but the last found nothing.
  const searched: string[] = [];
  const others = wanted.from === null ? await othersBeginning(db, text) : [];
  for (const meant of meantBy(text, today)) {
    searched.push(wordsFor({ ...terms, ...meant }));
    const page = await findInvoices(db, { ...terms, ...meant }, wanted);
    if (page.items.length > 0 || page.next !== null) return { ...page, searched, others };
  }
  return { items: [], next: null, searched, others };
}

/** What is no payment and has an id that was searched for. */
async function othersBeginning(db: Database, text: string) {
  const range = idRange(text);
  if (range === null) return [];
  const [callbacks, certificates, replays] = [
    await callbacksBeginning(db, range, OTHER_LIMIT),
    await certificatesBeginning(db, range, OTHER_LIMIT),
    await replaysBeginning(db, range, OTHER_LIMIT),
  ];
  return [
    ...callbacks.map(({ id, at }) => ({ what: "callback" as const, id, at })),
    ...certificates.map((one) => ({ what: "certificate" as const, ...one })),
    ...replays.map((one) => ({ what: "replay" as const, ...one })),
  ];
}
