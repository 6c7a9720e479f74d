import { isDeepStrictEqual } from "node:util";
import type { ListPeriod, PaidWindow } from "../list/list-period.ts";
import type { Unproven } from "../list/list-reader.ts";
import type { ReconcileSource } from "../reconcile-source.ts";

/** The progress of a certificate. */
export interface Progress {
  /** What reading the lists showed; null until they are read. */
  reading: Reading | null;
}

/** How the lists were read: by other terms they would have shown something else. */
export interface ReadingTerms {
  collectionIds: readonly string[];
  /** The days requested from the lists. */
  period: ListPeriod;
  paidStatuses: readonly string[];
  invalidStatuses: readonly string[];
  timeZone: string;
}

/** The result of reading the lists of a period. */
export interface Reading {
  /** The time before the first page, by the earlier of Postgres' clock and the process'; ISO 8601, UTC. */
  begunAt: string;
  terms: ReadingTerms;
  collections: { id: string; name: string | null }[];
  pages: number;
  /** Those of the list without filter, of each collection. */
  pagesOfAll: { collectionId: string; pages: number }[];
  /** What could not be shown to be complete, in plain words. */
  doubts: { collectionId: string; text: string }[];
  /** Items without a usable invoice id. */
  unusable: { collectionId: string; text: string; amount: string | null; day: string | null }[];
}

export const describeUnproven = ({ first, last, why }: Unproven): string => `${first} to ${last}: ${why}`;

export const readingTerms = (
  { paidStatuses, invalidStatuses, timeZone }: ReconcileSource,
  collectionIds: readonly string[],
  period: ListPeriod,
): ReadingTerms => ({ collectionIds, period, paidStatuses, invalidStatuses, timeZone });

/** Whether the lists were read when nothing could be paid in the period any more. */
export const beganAfter = ({ begunAt }: Pick<Reading, "begunAt">, { to }: PaidWindow): boolean =>
  Date.parse(begunAt) >= to.getTime();

/** Just after midnight some of the day's payments are still on their way, to us and into lists; in ms. */
export const SETTLING_MS = 3_600_000;

/** Whether the last payments of the period may not have been in the lists yet. */
export const isProvisional = (reading: Pick<Reading, "begunAt">, { to }: PaidWindow): boolean =>
  Date.parse(reading.begunAt) < to.getTime() + SETTLING_MS;

/**
 * Whether an interrupted certificate may go on with what was read for it. What was read by other settings, or
 * before the period was over, or by an older version, may lack payments, and is read again (G10).
 */
export const canContinueWith = (
  reading: Reading | null,
  terms: ReadingTerms,
  window: PaidWindow,
): reading is Reading =>
  reading !== null &&
  Array.isArray(reading.pagesOfAll) &&
  beganAfter(reading, window) &&
  isDeepStrictEqual(reading.terms, terms);
