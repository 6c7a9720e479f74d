import { idRange, isUuid } from "../kit/ids.ts";
import { amountIn } from "../kit/text.ts";
import { addDays, dayThatExists } from "../kit/time.ts";
import type { InvoiceTerms } from "./invoice-terms.ts";

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
 * What a text in the search box may mean, the likeliest first; the next one is tried when it finds nothing.
 * Pure.
 * @param today UTC, YYYY-MM-DD
 */
export function meantBy(text: string, today: string): InvoiceTerms[] {
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

export function wordsFor(terms: InvoiceTerms): string {
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
