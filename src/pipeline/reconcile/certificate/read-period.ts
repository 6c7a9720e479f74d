import type { Database } from "../../../platform/database/index.ts";
import { readClock } from "../../../platform/upstreams/index.ts";
import { plainStatuses } from "../../confirm/index.ts";
import type { ListPeriod } from "../list/list-dates.ts";
import { ListPace, type ListPaceOptions, readCollectionName } from "../list/list-pace.ts";
import { describeUnproven, ListReader } from "../list/list-reader.ts";
import { countListed, type ListKey, noteListed, noteWholeReading } from "../list/listed-rows.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { type Reading, readingTerms } from "./certificate.ts";

interface PeriodReading extends ListPaceOptions {
  period: ListPeriod;
  /** The daily one: what it reads is all that sweeps would read. */
  isDaily: boolean;
}

/** How often a changing list is counted before its counts are taken as contradictory. */
const COUNTINGS = 3;

/**
 * Reads the lists of a period into `listed_payment`, and reports what is in doubt.
 * @throws ListUnreadable or SourcePaused when a list cannot be read.
 */
export async function readPeriod(reading: PeriodReading): Promise<Reading> {
  const { db, source, period, isDaily, signal } = reading;
  const { collectionIds, timeZone: zone } = source;
  const pace = new ListPace(reading);
  const terms = readingTerms(source, collectionIds, period);
  const { now } = await readClock(db, source.name);
  const result: Reading = { begunAt: now.toISOString(), terms, collections: [], pages: 0, doubts: [] };
  for (const collectionId of collectionIds) {
    const name = await readCollectionName(source, pace, collectionId, signal);
    result.collections.push({ id: collectionId, name });
    const key = { source: source.name, collectionId };
    const storing = { ...key, begunAt: now, renewedBefore: now, isWhole: true };
    const reader = new ListReader({
      source,
      collectionId,
      call: (call) => pace.call(call),
      signal,
      sink: (payments) => noteListed(db, storing, payments),
    });
    const doubts = await doubtsOf(db, reader, source, { ...key, period, begunAt: now });
    if (isDaily && doubts.length === 0)
      await noteWholeReading(db, key, { reader, period, readAt: now, zone });
    result.pages += reader.pages;
    result.doubts.push(...doubts.map((why) => `The list of ${collectionId} contradicts itself, ${why}.`));
  }
  return result;
}

/** Reads a list. @returns why it cannot be shown to be complete */
async function doubtsOf(
  db: Database,
  reader: ListReader,
  source: ReconcileSource,
  { period, begunAt, ...key }: ListKey & { period: ListPeriod; begunAt: Date },
): Promise<string[]> {
  const doubts: string[] = [];
  const { parts, count } = await reader.partsOf(period);
  for (const part of parts) doubts.push(...(await reader.readWhole(part)).map(describeUnproven));
  if (reader.unusable > 0)
    doubts.push(`${period.first} to ${period.last}: items that may be paid have no usable id`);
  const statuses = plainStatuses(["Unpaid", ...source.paidStatuses, ...source.invalidStatuses]);
  const doubt = await doubtOfCounts(reader, source, { period, count }, () =>
    countListed(db, key, begunAt, statuses),
  );
  return doubt === null ? doubts : [...doubts, doubt];
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
  const count = (status: string | null) => reader.count({ period, status: status?.trim() ?? null });
  const others = await countOthers();
  let doubt = "";
  let all = first;
  for (let counting = 1; counting <= COUNTINGS; counting += 1) {
    if (all === null) return null;
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
