import { idRange, isUuid } from "../kit/ids.ts";
import { amountIn } from "../kit/money-text.ts";
import { dayThatExists } from "../kit/time.ts";
import type { InvoiceTerms } from "./invoice-terms.ts";

/** A day: `2026-11-24`, `24/11/2026` or `24.11.2026`. Pure. @returns YYYY-MM-DD; null when it is no day. */
export function dayIn(text: string): string | null {
  const typed = text.trim();
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(typed);
  if (iso !== null) return dayThatExists(iso[1], iso[2], iso[3]);
  const digits = /^(\d\d?)[/.-](\d\d?)[/.-](\d{4})$/.exec(typed);
  return digits === null ? null : dayThatExists(digits[3], digits[2], digits[1]);
}

/**
 * What a text in the search box may mean, the likeliest first; the next one is tried when it finds nothing.
 * Pure.
 */
export function meantBy(text: string): InvoiceTerms[] {
  const typed = text.trim();
  if (typed === "") return [{}];
  if (isUuid(typed)) return [{ id: typed.toLowerCase() }];
  if (typed.includes("@")) return [{ email: typed }];
  const day = dayIn(typed);
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
