import { z } from "zod";
import { invoicesBeginning, readStates, type ShownVerdict, shownVerdict } from "../pipeline/confirm/index.ts";
import { invoicesOfEvents } from "../pipeline/publish/index.ts";
import {
  type CallbackFilters,
  callbacksBeginning,
  decodeText,
  invoicesCalledAs,
  isOwnVerdict,
  type ListedCallback,
  listCallbacks,
  type OwnVerdict,
  readCallbackWhole,
  type WholeCallback,
} from "../pipeline/receive/index.ts";
import { certificatesBeginning } from "../pipeline/reconcile/index.ts";
import { replaysBeginning } from "../pipeline/replay/index.ts";
import {
  type Database,
  type Page,
  type PagePosition,
  type PageSlice,
  walk,
} from "../platform/database/index.ts";
import {
  addDays,
  amountIn,
  dayThatExists,
  type IdRange,
  idRange,
  isUuid,
  type Mask,
  personalMaskOf,
  type Role,
} from "../platform/values/index.ts";
import { bodyShown } from "./list/fields.ts";
import {
  type FoundInvoice,
  type InvoiceTerms,
  invoicesByPayment,
  invoicesByRequest,
  invoicesNamed,
  invoicesOfIds,
  walkByConfirmation,
} from "./list-invoices.ts";
import { readUnanswered } from "./status-facts.ts";

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

/** Finds invoices by the text of the search box. A further page keeps the meaning of the first: earlier meanings find nothing. */
export async function searchInvoices(
  db: Database,
  { text, today, ...terms }: InvoiceTerms & { text: string; today: string },
  wanted: PageWanted,
) {
  // In this order; all but the last found nothing.
  const searched: string[] = [];
  let isById = false;
  const others = wanted.from === null ? await othersBeginning(db, text) : [];
  for (const meant of selectedBy(text, today)) {
    searched.push(wordsFor({ ...terms, ...meant }));
    isById = (terms.id ?? meant.id) !== undefined;
    const page = await findInvoices(db, { ...terms, ...meant }, wanted);
    if (page.items.length > 0 || page.next !== null) return { ...page, searched, others, waiting: [] };
  }
  // No payer and no amount is known of these until the provider answers.
  const waiting = isById || wanted.from !== null ? [] : await readUnanswered(db, terms.source);
  return { items: [], next: null, searched, others, waiting };
}

/** Finds callbacks, certificates and replays whose id begins with the text. */
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

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/**
 * A day as people write it: `2026-11-24`, `24/11/2026`, `24.11.2026`, `24 Nov 2026`, `November 24`, `today`.
 * The day stands before the month; without a year it is the last such day. Pure.
 * @param today UTC, YYYY-MM-DD
 * @returns YYYY-MM-DD; null when it is no day.
 */
export function dayIn(text: string, today: string): string | null {
  const typed = text.trim().toLowerCase().replaceAll(",", " ").replaceAll(/\s+/g, " ");
  if (typed === "today") return today;
  if (typed === "yesterday") return addDays(today, -1);
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(typed);
  if (iso !== null) return dayThatExists(iso[1], iso[2], iso[3]);
  const digits = /^(\d\d?)[/.-](\d\d?)[/.-](\d{4})$/.exec(typed);
  if (digits !== null) return dayThatExists(digits[3], digits[2], digits[1]);
  const named =
    /^(?<day>\d\d?)(?:st|nd|rd|th)? (?<month>[a-z]{3,9})\.?(?: (?<year>\d{4}))?$/.exec(typed) ??
    /^(?<month>[a-z]{3,9})\.? (?<day>\d\d?)(?:st|nd|rd|th)?(?: (?<year>\d{4}))?$/.exec(typed);
  if (named?.groups === undefined) return null;
  const { day, month: name = "", year } = named.groups;
  const month = MONTHS.indexOf(name.slice(0, 3)) + 1;
  if (month === 0) return null;
  if (year !== undefined) return dayThatExists(year, `${month}`, day);
  const thisYear = Number(today.slice(0, 4));
  const last = dayThatExists(`${thisYear}`, `${month}`, day);
  return last !== null && last > today ? dayThatExists(`${thisYear - 1}`, `${month}`, day) : last;
}

/**
 * The meanings of a text in the search box, the likeliest first; the next is tried when one finds nothing.
 * Pure.
 * @param today UTC, YYYY-MM-DD
 */
export function selectedBy(text: string, today: string): InvoiceTerms[] {
  const typed = text.trim();
  if (typed === "") return [{}];
  if (isUuid(typed)) return [{ id: typed.toLowerCase() }];
  if (typed.includes("@")) return [{ email: typed }];
  const day = dayIn(typed, today);
  const amount = amountIn(typed);
  return [
    ...(idRange(typed) === null ? [] : [{ idPrefix: typed }]),
    ...(day !== null && /^\d{4}-/.test(typed) ? [] : [{ reference: typed }]),
    ...(day === null ? [] : [{ from: day, to: day }]),
    ...(amount === null ? [] : [{ amount }]),
    ...(/\p{L}/u.test(typed) && (day ?? amount) === null ? [{ payer: typed }] : []),
  ];
}

function wordsFor(terms: InvoiceTerms): string {
  const { id, idPrefix, email, reference, from, amount, payer } = terms;
  if (id !== undefined) return `the id ${id}`;
  if (idPrefix !== undefined) return `ids that begin with ${idPrefix}`;
  if (email !== undefined) return "the payer's e-mail address, compared whole";
  if (reference !== undefined) return `the reference "${reference}", compared whole`;
  if (amount !== undefined) return `the amount ${amount}, with or without charges`;
  if (payer !== undefined) return "words of the payer's name";
  if (from !== undefined) return `payments of ${from} (UTC)`;
  return "all payments";
}

type AnyVerdict = ShownVerdict | OwnVerdict;

type CallbackTerms = Omit<CallbackFilters, "verdict"> & { verdict?: AnyVerdict | undefined };

/** A callback with what came of it: the best verdict of its invoices, or its own. */
type DecidedCallback = Omit<ListedCallback, "verdict"> & { verdict: AnyVerdict | null };

/** The same of callbacks; fewer where the invoices of each are looked up as well. */
const CALLBACKS_STRETCH = 5_000;
const JUDGED_STRETCH = 500;

/** The best first. */
const BEST: readonly ShownVerdict[] = [
  "paid",
  "quarantined",
  "pending",
  "dead",
  "not_paid",
  "invalidated",
  "unknown_invoice",
];

/** A page of the log of callbacks, the newest first. */
export async function findCallbacks(
  db: Database,
  terms: CallbackTerms,
  { from, limit }: { from: PagePosition | null; limit: number },
): Promise<Page<DecidedCallback>> {
  const { verdict, ...others } = terms;
  const own = isOwnVerdict(verdict) ? verdict : undefined;
  const wanted = isOwnVerdict(verdict) ? undefined : verdict;
  const isNarrowed =
    (others.source ?? others.foundBy ?? others.remoteAddress ?? others.reference) !== undefined;
  const most = wanted !== undefined ? JUDGED_STRETCH : isNarrowed ? CALLBACKS_STRETCH : limit + 1;
  const look = async (after: PagePosition | null): Promise<PageSlice<DecidedCallback>> => {
    const { found, end } = await listCallbacks(db, { ...others, verdict: own }, after, most);
    if (wanted === undefined) return { found, end };
    const asked: PageSlice<DecidedCallback>["found"] = found;
    return { found: (await withVerdicts(db, asked)).filter((one) => one.verdict === wanted), end };
  };
  const page = await walk({ from, limit, withinMs: LOOKING_MS, look });
  return wanted === undefined ? { ...page, items: await withVerdicts(db, page.items) } : page;
}

async function withVerdicts<Callback extends Pick<DecidedCallback, "source" | "invoiceIds" | "verdict">>(
  db: Database,
  callbacks: readonly Callback[],
): Promise<Callback[]> {
  const asking = callbacks.filter(({ verdict }) => verdict === null);
  const keys = asking.flatMap(({ source, invoiceIds }) =>
    invoiceIds.map((invoiceId) => ({ source, invoiceId })),
  );
  const verdicts = new Map(
    (await readStates(db, keys)).map((standing) => [
      `${standing.source} ${standing.invoiceId}`,
      shownVerdict(standing),
    ]),
  );
  return callbacks.map((callback) => {
    if (callback.verdict !== null) return callback;
    const all = callback.invoiceIds.map((id) => verdicts.get(`${callback.source} ${id}`));
    // Only what the provider never knew is forgotten, a week after it was asked about.
    const isForgotten = all.length > 0 && all.every((one) => one === undefined);
    const best = BEST.find((one) => all.includes(one)) ?? null;
    return { ...callback, verdict: isForgotten ? "unknown_invoice" : best };
  });
}

/** Reads a callback with everything that came, and how each of its ids was found; null when it is unknown. */
export async function showCallback(db: Database, id: string, reading: Reading) {
  const callback = await readCallbackWhole(db, id);
  if (callback === null) return null;
  const { source, invoiceIds, foundBy } = callback;
  const keys = invoiceIds.map((invoiceId) => ({ invoiceId, source }));
  const standings = new Map((await readStates(db, keys)).map((one) => [one.invoiceId, one]));
  const [best = callback] = await withVerdicts(db, [callback]);
  return {
    ...best,
    ...shownBody(callback, reading),
    ids: invoiceIds.map((invoiceId) => {
      const standing = standings.get(invoiceId);
      return {
        invoiceId,
        foundBy,
        state: standing?.state ?? null,
        verdict: standing === undefined ? null : shownVerdict(standing),
      };
    }),
  };
}

export interface Reading {
  /** Takes callback tokens out of a text. */
  mask: Mask;
  /** Takes out what its reader may not see of people; everything is seen without it. */
  personal?: Mask;
}

export const readingFor = ({ mask, role }: { mask: Mask; role: Role }): Reading => ({
  mask,
  personal: personalMaskOf(role),
});

const shown = z.object(bodyShown);

/**
 * A body without callback tokens. Where masking the bytes does not mask the text alike, the masked text takes their
 * place.
 */
export function shownBody(
  { body, erasedAt }: Pick<WholeCallback, "body" | "erasedAt">,
  { mask, personal = (text) => text }: Reading,
): z.output<typeof shown> {
  if (erasedAt !== null) return { body: "", bodyIs: "as_came", text: null };
  const came = decodeText(body);
  const hidden = (whole: string) => personal(mask(whole));
  const text = hidden(came);
  // A byte a letter: tokens are ASCII, so everything around them stays as it is.
  const bytes = Buffer.from(hidden(body.toString("latin1")), "latin1");
  if (text === came && bytes.equals(body)) return { body: body.toString("base64"), bodyIs: "as_came", text };
  if (decodeText(bytes) === text) return { body: bytes.toString("base64"), bodyIs: "masked", text };
  return { body: Buffer.from(text).toString("base64"), bodyIs: "text", text };
}
