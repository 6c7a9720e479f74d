import { readClock } from "../../../platform/upstreams/index.ts";
import { addDays, bookDayOf, dayOf, startOf, storableText } from "../../../platform/values/index.ts";
import { toUtc } from "../../../provider/index.ts";
import { plainStatuses } from "../../confirm/index.ts";
import { type ListPeriod, possiblePayment } from "../list/list-dates.ts";
import { ListPace, type ListPaceOptions, readCollectionName } from "../list/list-pace.ts";
import {
  describeUnproven,
  ListReader,
  type OnPages,
  UNUSABLE_LIMIT,
  type Unusable,
} from "../list/list-reader.ts";
import { countListed, noteListed, noteWholeReading } from "../list/listed-rows.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { lacksPayment, noteShown } from "./asked-payment.ts";
import { type Reading, readingTerms } from "./certificate.ts";

export interface PeriodReading extends ListPaceOptions {
  certificateId: string;
  collectionIds: readonly string[];
  period: ListPeriod;
  /** Everything that the lists show is to be asked about, under any status. */
  deep: boolean;
  /** The daily one: what it reads is all that sweeps would read. */
  isDaily: boolean;
  onProgress: OnPages;
}

/** How often a changing list is counted before its counts are taken as contradictory. */
const COUNTINGS = 3;

/**
 * Reads the lists of a period into `listed_payment`, and reports what is in doubt.
 * @throws ListUnreadable or SourcePaused when a list cannot be read.
 */
export async function readPeriod(reading: PeriodReading): Promise<Reading> {
  const { db, source, collectionIds, period } = reading;
  const pace = new ListPace(reading);
  const terms = readingTerms(source, collectionIds, period);
  const { now } = await readClock(db, source.name);
  const result: Reading = {
    begunAt: now.toISOString(),
    terms,
    collections: [],
    pages: 0,
    pagesOfAll: [],
    doubts: [],
    unusable: [],
  };
  for (const collectionId of collectionIds) {
    const name = await readCollectionName(source, pace, collectionId, reading.signal);
    result.collections.push({ id: collectionId, name });
    const { reader, doubts } = await readCollection(reading, pace, { collectionId, begunAt: now });
    if (reading.isDaily && doubts.length === 0)
      await noteWholeReading(
        db,
        { source: source.name, collectionId },
        { reader, period, readAt: now, zone: source.timeZone },
      );
    result.pages += reader.pages;
    result.pagesOfAll.push({ collectionId, pages: reader.pagesOfAll });
    result.doubts.push(...doubts.map((text) => ({ collectionId, text })));
    result.unusable.push(
      ...[...reader.unusable.values()].map((item) => ({ collectionId, ...describe(item, source, now) })),
    );
  }
  return result;
}

type LaterReading = Omit<PeriodReading, "isDaily">;

const readerOf = (
  { db, source, certificateId, deep, signal, onProgress }: LaterReading,
  pace: ListPace,
  { collectionId, begunAt }: { collectionId: string; begunAt: Date },
): ListReader => {
  let pages = 0;
  return new ListReader({
    source,
    collectionId,
    call: (call) => pace.call(call),
    onPage(expected) {
      pages += 1;
      onProgress(pages, expected);
    },
    takesCounts: true,
    signal,
    async sink(payments, ids) {
      const storing = { source: source.name, collectionId, begunAt, renewedBefore: begunAt, isWhole: true };
      await noteListed(db, storing, payments);
      if (deep) await noteShown(db, certificateId, ids);
    },
  });
};

/**
 * Reads the days after the period too, while the lists lack a payment: where their dates mean payment, one that
 * moved there, or that only they date, is on those days and was not left out.
 * @returns how many pages were read.
 */
export async function readLater(reading: LaterReading, lists: Reading, now: Date): Promise<number> {
  const { db, source, certificateId, period } = reading;
  const pace = new ListPace(reading);
  const begunAt = new Date(lists.begunAt);
  const lacking = {
    certificateId,
    source: source.name,
    seenSince: begunAt,
    createdSince: startOf(period.first),
  };
  let pages = 0;
  for (const { id, name } of lists.collections) {
    if (name === null || !(await lacksPayment(db, { ...lacking, collection: name }))) continue;
    const reader = readerOf(reading, pace, { collectionId: id, begunAt });
    const later = { first: addDays(period.last, -1), last: addDays(dayOf(now), 2) };
    for (const part of (await reader.partsOf(later)).parts) {
      await reader.readWhole(part);
      if (!(await lacksPayment(db, { ...lacking, collection: name }))) break;
    }
    pages += reader.pages;
  }
  return pages;
}

async function readCollection(
  reading: PeriodReading,
  pace: ListPace,
  list: { collectionId: string; begunAt: Date },
): Promise<{ reader: ListReader; doubts: string[] }> {
  const { db, source, period } = reading;
  const reader = readerOf(reading, pace, list);
  const doubts: string[] = [];
  const { parts, count } = await reader.partsOf(period);
  for (const part of parts) {
    doubts.push(...(await reader.readWhole(part)).map(describeUnproven));
  }
  if (reader.unusable.size > UNUSABLE_LIMIT)
    doubts.push(`${period.first} to ${period.last}: more than ${UNUSABLE_LIMIT} items name no invoice`);
  const statuses = plainStatuses(["Unpaid", ...source.paidStatuses, ...source.invalidStatuses]);
  const key = { source: source.name, collectionId: list.collectionId };
  const others = () => countListed(db, key, list.begunAt, statuses);
  const doubt = await doubtOfCounts(reader, source, { period, count }, others);
  return { reader, doubts: doubt === null ? doubts : [...doubts, doubt] };
}

/**
 * Whether the counts by status add up to the `count` of all. Invoices of another status may be counted under
 * a known one or not. Without counts, or without a filter, there is no sum to check: all was read.
 * @returns the contradiction, in plain words; null without one.
 */
async function doubtOfCounts(
  reader: ListReader,
  { paidStatuses, invalidStatuses }: ReconcileSource,
  { period, count: first }: { period: ListPeriod; count: number | null },
  countOthers: () => Promise<number>,
): Promise<string | null> {
  const count = (status: string | null) =>
    reader.count({ period, status: status?.trim() ?? null, type: null });
  const others = await countOthers();
  let doubt = "";
  let all = first;
  for (let counting = 1; counting <= COUNTINGS; counting += 1) {
    if (all === null) return null;
    // An empty list may mean that it misreads the dates, so the list without dates is checked.
    if (all === 0) await reader.count({ period: null, status: null, type: null }, true);
    const counts: number[] = [];
    let sum = 0;
    for (const status of new Set(["Unpaid", ...paidStatuses, ...invalidStatuses])) {
      counts.push((await count(status)) ?? 0);
      sum += counts.at(-1) ?? 0;
      if (sum === all) return null;
    }
    const isFiltered = counts.some((one) => one !== all);
    // The list may have grown since it was counted first.
    const after: number = sum > all ? ((await count(null)) ?? all) : all;
    // An invoice paid meanwhile was counted as unpaid first, and again as paid.
    const [unpaid = 0] = counts;
    const twice = sum > after ? Math.max(0, unpaid - ((await count("Unpaid")) ?? unpaid)) : 0;
    if (!isFiltered || (sum - twice <= after && sum >= all - others)) return null;
    doubt = `${period.first} to ${period.last}: its counts by status add up to ${sum} of ${all}`;
    all = after;
  }
  return doubt;
}

function describe(
  { id, amount, datePaid }: Unusable,
  { timeZone, booksTimeZone }: ReconcileSource,
  now: Date,
) {
  const shown = id === "" ? "no id" : `the id "${storableText(id)}"`;
  const paidAt = possiblePayment(toUtc(datePaid, timeZone), null, now);
  const day = paidAt && bookDayOf(paidAt, booksTimeZone);
  return { text: `an item of the list has ${shown}, which names no invoice`, amount, day };
}
