import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { signatureSchema } from "../../../platform/signing/index.ts";
import { answeredId, decimal, whole } from "../../../platform/validation/index.ts";
import type { BookPeriod } from "../../../platform/values/index.ts";
import type { ListPeriod } from "../list/list-dates.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import type { Reason } from "./detail-of.ts";

const tally = z.object({ count: whole, amount: decimal });
export type Tally = z.output<typeof tally>;

/**
 * Live payments of one day of the books or of the whole period: at the provider, in the relay's store, accepted on
 * the right topic; and what is wrong, named or not.
 */
export const totals = z.object({
  paid: tally,
  stored: tally,
  published: tally,
  missing: tally.describe("Paid and not accepted on the right topic."),
  differences: whole.describe("Other differences that could hide money."),
});
export type Totals = z.output<typeof totals>;

/**
 * `gap`: paid at the provider, but not accepted on the right topic. `difference`: anything else that could
 * hide money. With either, a certificate is not equal. `note`: only named.
 */
export const weight = z.enum(["gap", "difference", "note"]);
export type Weight = z.output<typeof weight>;

export const difference = z.object({
  /** null if only the event or item is known. */
  invoiceId: answeredId.nullable(),
  eventId: answeredId.nullable(),
  reason: z.custom<Reason>((reason) => typeof reason === "string"),
  /** The reason in plain words, with the details known. */
  detail: z.string(),
  weight,
  /** Of the books, YYYY-MM-DD. */
  day: z.string(),
  /** From the provider's list, or the relay's own if the list has no amount; null without either. */
  amount: decimal.nullable(),
});
export type Difference = z.output<typeof difference>;

export const result = z.enum(["equal", "not_equal", "refused"]);
export type Result = z.output<typeof result>;

export interface Basis {
  /**
   * First and last day requested from the lists, and how long before its payment an invoice may have been
   * created.
   */
  listFirst: string;
  listLast: string;
  lookbackDays: number;
  /** The time zone of its days (BOOKS_TIME_ZONE), and of the provider's times without one. */
  zone: string;
  providerTimeZone: string;
  paidStatuses: readonly string[];
  /** Left out of older ones, like `topics`. */
  invalidStatuses?: readonly string[];
  /** Where an event counts as published: Live ones, and those of Test invoices if they are. */
  topics?: { live: string; test: string | null };
  /** When the lists began to be read, by Postgres' clock; ISO 8601, UTC. */
  begunAt: string;
  /** That was less than an hour after the period: its last payments may not have been in them yet. */
  provisional: boolean;
  /** Pages read, invoices listed as paid, and invoices asked about one by one. */
  pages: number;
  listed: number;
  asked: number;
  firstServedAt: string | null;
}

/** The note on a provisional certificate. */
export const PROVISIONAL =
  "The lists began to be read less than an hour after the period, and may not have had its last payments " +
  "yet. Make it again later; the daily certificate waits for that hour.";

/** The proof for one source and period (G10), without its differences. */
export const certificateHead = z.object({
  id: answeredId,
  source: z.string(),
  result,
  /** Why it is refused, in plain words. */
  refusals: z.array(z.string()),
  /** The collections read: COLLECTION_IDS. */
  collections: z.array(z.object({ id: answeredId, name: z.string().nullable() })),
  currency: z.string().describe("Of all its amounts, ISO 4217."),
  /** Payments from, and before; ISO 8601, UTC. */
  from: z.string(),
  to: z.string(),
  madeAt: z.string(),
  basis: z.custom<Basis>().describe("The lists that it is based on, and how they were read."),
  days: z.array(z.object({ day: z.string(), ...totals.shape })),
  total: totals,
  /** Test payments of the period, which are not included above. */
  test: tally,
  foreign: tally.describe("Of collections that are not ours; included nowhere else."),
  gaps: whole,
  /** The count of all differences, named or not. */
  differencesInAll: whole,
  signature: signatureSchema
    .nullish()
    .describe("Over the whole certificate, which `/certificates/{id}/json` is; null: it is unsigned."),
});

/** With the first 10,000 differences: gaps, then others, then notes. */
export const certificate = certificateHead.extend({ differences: z.array(difference) });
export type Certificate = z.output<typeof certificate>;

export interface Progress {
  /** The result of reading the lists; null until they are read. */
  reading: Reading | null;
}

/** How the lists were read: by other terms they would have shown something else. */
interface ReadingTerms {
  collectionIds: readonly string[];
  period: ListPeriod;
  paidStatuses: readonly string[];
  invalidStatuses: readonly string[];
  timeZone: string;
}

export interface Reading {
  /** The time before the first page, by Postgres' clock; ISO 8601, UTC. */
  begunAt: string;
  terms: ReadingTerms;
  collections: { id: string; name: string | null }[];
  pages: number;
  /** Parts that could not be shown to be complete, in plain words. */
  doubts: string[];
}

export const readingTerms = (
  { paidStatuses, invalidStatuses, timeZone }: ReconcileSource,
  collectionIds: readonly string[],
  period: ListPeriod,
): ReadingTerms => ({ collectionIds, period, paidStatuses, invalidStatuses, timeZone });

/** Whether the lists were read when nothing could be paid in the period any more. */
export const beganAfter = ({ begunAt }: Pick<Reading, "begunAt">, { to }: BookPeriod): boolean =>
  Date.parse(begunAt) >= to.getTime();

/** Just after midnight some of the day's payments are still on their way, to us and into lists; in ms. */
export const SETTLING_MS = 3_600_000;

/** Whether the last payments of the period may not have been in the lists yet. */
export const isProvisional = (reading: Pick<Reading, "begunAt">, { to }: BookPeriod): boolean =>
  Date.parse(reading.begunAt) < to.getTime() + SETTLING_MS;

/**
 * Whether an interrupted certificate may continue from what was read for it. A reading under other settings,
 * or before the period was over may lack payments, and is repeated (provable, G10).
 */
export const canContinueWith = (
  reading: Reading | null,
  terms: ReadingTerms,
  window: BookPeriod,
): reading is Reading =>
  reading !== null && beganAfter(reading, window) && isDeepStrictEqual(reading.terms, terms);
