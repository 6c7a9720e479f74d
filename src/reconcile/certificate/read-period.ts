import { dayOf, daysBetween } from "../../kit/days.ts";
import { storableText } from "../../kit/storable-text.ts";
import { readClock } from "../../upstreams/first-served.ts";
import { ListPace, type ListPaceOptions } from "../list/list-pace.ts";
import { type ListPeriod, nextStep } from "../list/list-period.ts";
import { ListReader, type Unusable } from "../list/list-reader.ts";
import { ListUnreadable } from "../list/list-unreadable.ts";
import { EACH_TYPE } from "../list/listed-payment.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { describeUnproven, type Reading, readingTerms } from "./kept-reading.ts";
import { noteShown } from "./listed-row.ts";

export interface PeriodReading extends Required<Omit<ListPaceOptions, "gapMs">> {
  certificateId: string;
  collectionIds: readonly string[];
  /** The days to request from the lists. */
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
  const begunAt = now.toISOString();
  const result: Reading = { begunAt, terms, collections: [], pages: 0, doubts: [], unusable: [] };
  const days = daysBetween(period.first, period.last);
  for (const [index, collectionId] of collectionIds.entries()) {
    const name = await nameOf(reading, pace, collectionId);
    result.collections.push({ id: collectionId, name });
    const onDays = (read: number) => reading.onProgress(index * days + read, collectionIds.length * days);
    const { reader, doubts } = await readCollection(reading, pace, collectionId, onDays);
    result.pages += reader.pages;
    result.doubts.push(...doubts.map((text) => ({ collectionId, text })));
    result.unusable.push(
      ...[...reader.unusable.values()].map((item) => ({ collectionId, ...describe(item) })),
    );
  }
  return result;
}

async function readCollection(
  { db, source, certificateId, period, signal }: PeriodReading,
  pace: ListPace,
  collectionId: string,
  onDays: (read: number) => void,
): Promise<{ reader: ListReader; doubts: string[] }> {
  const reader = new ListReader({
    source,
    collectionId,
    call: (call) => pace.call(call),
    signal,
    sink: {
      take: (number, ids, paid) => noteShown(db, certificateId, collectionId, number, ids, paid),
    },
  });
  const doubts: string[] = [];
  for (let rest: ListPeriod | null = period; rest !== null; ) {
    const next: ReturnType<typeof nextStep> = nextStep(rest);
    doubts.push(...(await reader.read(next.step, EACH_TYPE)).map(describeUnproven));
    rest = next.rest;
    onDays(daysBetween(period.first, period.last) - (rest === null ? 0 : daysBetween(rest.first, rest.last)));
  }
  if (!(await understandsItsFilter(reader, source, period)))
    doubts.push(...(await readUnfiltered(reader, period)).map(describeUnproven));
  return { reader, doubts };
}

/** Whether the lists by status add up to the list of all; without counts this cannot be checked. */
async function understandsItsFilter(
  reader: ListReader,
  { paidStatuses, invalidStatuses }: ReconcileSource,
  period: ListPeriod,
): Promise<boolean> {
  const count = (status: string | null, of: ListPeriod | null = period) =>
    reader.count({ period: of, status: status?.trim() ?? null, asked: null });
  for (let counting = 1; counting <= COUNTINGS; counting += 1) {
    const all = await count(null);
    if (all === null) return false;
    // An empty list may mean that it misreads the dates, so the list without dates is checked.
    if (all === 0) await count(null, null);
    let sum = 0;
    for (const status of new Set(["Unpaid", ...paidStatuses, ...invalidStatuses]))
      sum += (await count(status)) ?? 0;
    if (sum === all) return true;
  }
  return false;
}

async function readUnfiltered(reader: ListReader, period: ListPeriod) {
  const unproven = [];
  for (let rest: ListPeriod | null = period; rest !== null; ) {
    const next: ReturnType<typeof nextStep> = nextStep(rest);
    unproven.push(...(await reader.readUnfiltered(next.step)));
    rest = next.rest;
  }
  return unproven;
}

const nameOf = (
  { source, signal }: PeriodReading,
  pace: ListPace,
  collectionId: string,
): Promise<string | null> =>
  pace.call(async () => {
    const answer = await source.provider.getCollection(collectionId, { signal });
    if (answer.kind !== "found") throw new ListUnreadable(`Get Collection by ID of ${collectionId}`, answer);
    const { collectionName } = answer.collection;
    return collectionName === null ? null : storableText(collectionName);
  });

function describe({ id, amount, datePaid }: Unusable) {
  const shown = id === "" ? "no id" : `the id "${storableText(id).slice(0, 60)}"`;
  const day = datePaid === null || Number.isNaN(Date.parse(datePaid)) ? null : dayOf(new Date(datePaid));
  return { text: `an item of the list has ${shown}, which names no invoice`, amount, day };
}
