import type { Database } from "../../../platform/database/index.ts";
import { step } from "../../../platform/process/index.ts";
import { addDays, daysBetween } from "../../../platform/values/index.ts";
import type { ListPeriod } from "./list-dates.ts";
import {
  countOn,
  type ListDates,
  meaningOfDates,
  type PerDay,
  recentSince,
  requestFor,
} from "./list-dates.ts";
import type { ListReader } from "./list-reader.ts";
import { keepWholeReading, type ListKey, listedPerDay } from "./listed-rows.ts";

/** So many payments are read rather than counted by halves: a page. */
const CHEAP = 100;

interface ChangedDays {
  dates: ListDates;
  /** What is stored, by day. */
  perDay: PerDay;
  /** What the list counts as paid for a request; null when it does not say. */
  count: (requested: ListPeriod) => Promise<number | null>;
}

/**
 * Finds the days of which the list counts another number of paid invoices than is stored, by halves.
 * @returns the days to read again; null when its counts show nothing.
 */
export async function findChangedDays(days: ListPeriod, given: ChangedDays): Promise<ListPeriod[] | null> {
  if (days.first > days.last) return [];
  const counted = await given.count(requestFor(days, given.dates));
  return counted === null ? null : await within(days, counted, given);
}

async function within(days: ListPeriod, counted: number, given: ChangedDays): Promise<ListPeriod[] | null> {
  const stored = countOn(given.perDay, days);
  if (counted === stored) return [];
  const span = daysBetween(days.first, days.last);
  if (span <= 0 || Math.max(counted, stored) <= CHEAP) return [days];
  const middle = addDays(days.first, Math.floor(span / 2));
  const older = { first: days.first, last: middle };
  const inOlder = await given.count(requestFor(older, given.dates));
  if (inOlder === null || inOlder > counted) return null;
  const newer = { first: addDays(middle, 1), last: days.last };
  const parts = [await within(newer, counted - inOlder, given), await within(older, inOlder, given)];
  return parts.some((part) => part === null) ? null : parts.flatMap((part) => part ?? []);
}

/**
 * Notes that the whole list of a collection was read and contradicted itself nowhere, and what its days mean:
 * from now on its counts say which of them have changed.
 * @param readAt when that began.
 */
export async function noteWholeReading(
  db: Database,
  key: ListKey,
  { reader, period, readAt, zone }: { reader: ListReader; period: ListPeriod; readAt: Date; zone: string },
): Promise<void> {
  const requested = { first: period.first, last: addDays(recentSince(readAt, zone), -1) };
  const count = requested.first < requested.last ? await reader.countPaid(requested) : null;
  const dates = await meaningOfDates(requested, count, ["UTC", zone], (dates) =>
    listedPerDay(db, key, readAt, dates),
  );
  step("whole list to be noted");
  await keepWholeReading(db, key, { readAt, dates });
  step("whole list noted");
}
