import { describePayments } from "../../confirm/invoices/read-invoices.ts";
import type { Database } from "../../database/tables.ts";
import { addDays, bookDayOf, bookDaysOf, bookPeriod, dayOf } from "../../kit/time.ts";
import type { Difference as Named } from "../../reconcile/certificate/certificate.ts";
import { readCalendar } from "../../reconcile/last-runs.ts";
import { EARLIEST } from "../../reconcile/list/list-period.ts";
import { readCertificatePage } from "../../reconcile/read-certificates.ts";
import type { BookSource } from "../book-source.ts";

export interface Difference extends Omit<Named, "weight" | "reason" | "reference"> {
  source: BookSource;
  weight: Named["weight"] | "unproven";
  reason: Named["reason"] | "no_certificate";
  /** null without one. */
  certificateId: string | null;
  /** Of the stored invoice. */
  collection: string | null;
  reference: string | null;
}

const PAGE = 500;

/**
 * Day by day, what the newest certificate that covers the whole source names.
 * @param collection only differences of its invoices; days that nothing is shown of are there in any case.
 */
export async function* readDifferences(
  db: Database,
  { collection, ...given }: { from: string; to: string; collection?: string | undefined },
  source: BookSource,
): AsyncGenerator<Difference, void, undefined> {
  const { zone } = source;
  const today = bookDayOf(Date.now(), zone);
  // A year ahead there may be certificates of a clock that was set.
  const [first, last] = [dayOf(EARLIEST), addDays(today, 366)];
  const from = given.from < first ? first : given.from;
  const to = given.to > last ? last : given.to;
  const calendar = await readCalendar(db, { from, to, sources: [source] });
  const certified = new Map(calendar.map(({ day, certificateId }) => [day, certificateId]));
  for (const day of bookDaysOf(bookPeriod(from, to, zone), zone)) {
    const certificateId = certified.get(day) ?? null;
    if (certificateId !== null) {
      for await (const difference of differencesOf(db, source, certificateId, day))
        if (collection === undefined || difference.collection === collection) yield difference;
    } else if (day <= today) yield unproven(source, day);
  }
}

async function* differencesOf(
  db: Database,
  source: BookSource,
  certificateId: string,
  day: string,
): AsyncGenerator<Difference, void, undefined> {
  for (let after: number | null = 0; after !== null; ) {
    const page = await readCertificatePage(db, certificateId, { day, limit: PAGE, after });
    const named = page?.differences ?? [];
    const invoices = await describePayments(
      db,
      named.flatMap(({ invoiceId }) => (invoiceId === null ? [] : [{ invoiceId, source: source.name }])),
    );
    const known = new Map(invoices.map(({ invoiceId, ...invoice }) => [invoiceId, invoice]));
    for (const difference of named) {
      const { collection = null, reference = null } = known.get(difference.invoiceId ?? "") ?? {};
      yield { ...difference, source, certificateId, collection, reference };
    }
    after = page?.next ?? null;
  }
}

const unproven = (source: BookSource, day: string): Difference => ({
  source,
  day,
  weight: "unproven",
  reason: "no_certificate",
  detail: "No certificate of all its collections covers this day. Make one with: invoice-relay certify",
  invoiceId: null,
  eventId: null,
  reference: null,
  amount: null,
  certificateId: null,
  collection: null,
});
