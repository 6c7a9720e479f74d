import { plainStatuses } from "../../confirm/invoices/confirmed-invoice.ts";
import { storableText } from "../../kit/text.ts";
import { addDays, bookDayOf, dayOf, daysBetween, startOf } from "../../kit/time.ts";
import { toUtc } from "../../provider/provider.ts";
import { readClock } from "../../upstreams/source-row.ts";
import { ListPace, type ListPaceOptions, readCollectionName } from "../list/list-pace.ts";
import { daysRead, type ListPeriod, possiblePayment, stepsOf } from "../list/list-period.ts";
import { describeUnproven, ListReader, UNUSABLE_LIMIT, type Unusable } from "../list/list-reader.ts";
import { EACH_TYPE } from "../list/listed-payment.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { type Reading, readingTerms } from "./certificate.ts";
import { countOtherwiseLabelled, lacksPayment, noteShown } from "./listed-row.ts";

export interface PeriodReading extends Required<ListPaceOptions> {
  certificateId: string;
  collectionIds: readonly string[];
  period: ListPeriod;
  /** Receives the progress after each step, in days of the lists. */
  onProgress: (read: number, total: number) => void;
}

/** How often a changing list is counted before its counts are taken as contradictory. */
const COUNTINGS = 3;

/**
 * Reads the lists of a period, page by page, into `listed_payment`, and reports what is in doubt.
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
  const days = daysBetween(period.first, period.last);
  for (const [index, collectionId] of collectionIds.entries()) {
    const name = await readCollectionName(source, pace, collectionId, reading.signal);
    result.collections.push({ id: collectionId, name });
    const onDays = (read: number) => reading.onProgress(index * days + read, collectionIds.length * days);
    const { reader, doubts } = await readCollection(reading, pace, collectionId, onDays);
    result.pages += reader.pages;
    result.pagesOfAll.push({ collectionId, pages: reader.pagesOfAll });
    result.doubts.push(...doubts.map((text) => ({ collectionId, text })));
    result.unusable.push(
      ...[...reader.unusable.values()].map((item) => ({ collectionId, ...describe(item, source, now) })),
    );
  }
  return result;
}

/** The number of the last reading, unique in this process. */
let readings = 0;

type LaterReading = Omit<PeriodReading, "onProgress">;

const readerOf = (
  { db, source, certificateId, signal }: LaterReading,
  pace: ListPace,
  collectionId: string,
): ListReader =>
  new ListReader({
    source,
    collectionId,
    call: (call) => pace.call(call),
    signal,
    sink: () => {
      readings += 1;
      const reading = readings;
      return (ids, payments) => noteShown(db, certificateId, collectionId, reading, ids, payments);
    },
  });

/**
 * Reads the days after the period too, while the lists lack a payment: where their dates mean payment, one that
 * moved there, or that only they date, is on those days and was not left out.
 * @returns how many pages were read.
 */
export async function readLater(
  reading: LaterReading,
  collections: Reading["collections"],
  now: Date,
): Promise<number> {
  const { db, certificateId, period } = reading;
  const pace = new ListPace(reading);
  const first = addDays(period.last, -1);
  let pages = 0;
  for (const { id, name } of collections) {
    const reader = readerOf(reading, pace, id);
    for (const { step } of stepsOf({ first, last: addDays(dayOf(now), 2) })) {
      if (name === null || !(await lacksPayment(db, certificateId, name, startOf(period.first)))) break;
      await reader.readWhole(step, EACH_TYPE);
    }
    pages += reader.pages;
  }
  return pages;
}

async function readCollection(
  reading: PeriodReading,
  pace: ListPace,
  collectionId: string,
  onDays: (read: number) => void,
): Promise<{ reader: ListReader; doubts: string[] }> {
  const { db, source, certificateId, period } = reading;
  const reader = readerOf(reading, pace, collectionId);
  const doubts: string[] = [];
  for (const { step, rest } of stepsOf(period)) {
    doubts.push(...(await reader.readWhole(step, EACH_TYPE)).map(describeUnproven));
    onDays(daysRead(period, rest).read);
  }
  if (reader.unusable.size > UNUSABLE_LIMIT)
    doubts.push(`${period.first} to ${period.last}: more than ${UNUSABLE_LIMIT} items name no invoice`);
  const statuses = plainStatuses(["Unpaid", ...source.paidStatuses, ...source.invalidStatuses]);
  const others = () => countOtherwiseLabelled(db, certificateId, collectionId, statuses);
  const doubt = await doubtOfCounts(reader, source, period, others);
  return { reader, doubts: doubt === null ? doubts : [...doubts, doubt] };
}

/**
 * Whether the counts by status add up to the count of all. What the list calls something else may be counted
 * under one of these or not. Without counts, or without a filter, nothing can be added up: all was read.
 * @returns what contradicts, in plain words; null when nothing does.
 */
async function doubtOfCounts(
  reader: ListReader,
  { paidStatuses, invalidStatuses }: ReconcileSource,
  period: ListPeriod,
  countOthers: () => Promise<number>,
): Promise<string | null> {
  const count = (status: string | null, of: ListPeriod | null = period) =>
    reader.count({ period: of, status: status?.trim() ?? null, asked: null });
  const others = await countOthers();
  let doubt = "";
  let all = await count(null);
  for (let counting = 1; counting <= COUNTINGS; counting += 1) {
    if (all === null) return null;
    // An empty list may mean that it misreads the dates, so the list without dates is checked.
    if (all === 0) await count(null, null);
    const counts: number[] = [];
    for (const status of new Set(["Unpaid", ...paidStatuses, ...invalidStatuses]))
      counts.push((await count(status)) ?? 0);
    const sum = counts.reduce((one, other) => one + other, 0);
    const isFiltered = counts.some((one) => one !== all);
    // The list may have grown since it was counted first.
    const after: number = (await count(null)) ?? all;
    // What was paid meanwhile was counted as unpaid first, and again as paid.
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
