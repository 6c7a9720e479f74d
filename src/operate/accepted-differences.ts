import type { AcceptedDifference } from "../books/month/month-rows.ts";
import type { Database } from "../database/tables.ts";
import { readSentAmounts } from "../publish/sent-amounts.ts";
import { type CertificatePage, readCertificatePage } from "../reconcile/read-certificates.ts";

/** As many as a certificate names. */
const NAMED = 10_000;

interface UnequalDays {
  certificateId: string;
  days: readonly string[];
}

/**
 * What may be accepted of days whose certificates are not equal.
 * @returns null for a certificate that was refused, and one that misses a payment or does not name all that differs.
 */
export async function readAcceptable(
  db: Database,
  source: string,
  { certificateId, days }: UnequalDays,
): Promise<AcceptedDifference[] | null> {
  const page = await readCertificatePage(db, certificateId, { limit: NAMED, after: 0 });
  const found = page && acceptableOf(page, days);
  if (!found) return null;
  const ids = found.flatMap(({ invoiceId }) => invoiceId ?? []);
  const amounts = await readSentAmounts(db, source, ids);
  return found.map(({ day, invoiceId, reason, detail, amount }) => ({
    ...{ certificateId, day, invoiceId, reason, detail, atProvider: amount },
    inEvent: (invoiceId && amounts.get(invoiceId)) ?? null,
  }));
}

/** Nothing is missing on these days, and each of them has a difference that is named. Pure. */
export function acceptableOf({ certificate, differences }: CertificatePage, days: readonly string[]) {
  if (certificate.result === "refused" || certificate.differencesInAll > differences.length) return null;
  const found = differences.filter(({ day, weight }) => weight !== "note" && days.includes(day));
  const isNamed = days.every((day) => found.some((one) => one.day === day));
  const isMissing =
    found.some(({ weight }) => weight === "gap") ||
    certificate.days.some(({ day, missing }) => days.includes(day) && missing.count > 0);
  return isNamed && !isMissing ? found : null;
}
