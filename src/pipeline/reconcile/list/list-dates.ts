import {
  addDays,
  type BookPeriod,
  bookDay,
  bookDayOf,
  DAY_MS,
  dayOf,
  daysBetween,
} from "../../../platform/values/index.ts";
import { FIRST_YEAR } from "../../../provider/index.ts";

export interface ListPeriod {
  first: string;
  last: string;
}

/** The largest offset from UTC of any time zone. */
export const FARTHEST_ZONE_MS = 14 * 3_600_000;

/** The days of a window in a zone, one by one; its first and last may be parts. */
export function* eachDay({ from, to }: BookPeriod, zone = "UTC"): Generator<BookPeriod> {
  for (let start = from; start < to; ) {
    const end = new Date(Math.min(bookDay(bookDayOf(start, zone), zone).to.getTime(), to.getTime()));
    yield { from: start, to: end };
    start = end;
  }
}

/**
 * The days to request so that every payment of the window is included under any meaning of the list's dates
 * (the interface, part A, does not define it): creation or payment, in any time zone, inclusive or exclusive.
 * @param lookbackMs how long before its payment an invoice may have been created, in ms.
 */
export function periodFor({ from, to }: BookPeriod, lookbackMs: number): ListPeriod {
  return {
    first: addDays(dayOf(new Date(from.getTime() - lookbackMs - FARTHEST_ZONE_MS)), -1),
    last: addDays(dayOf(new Date(to.getTime() + FARTHEST_ZONE_MS)), 1),
  };
}

/**
 * Splits a period into so many parts at most, the newest first. Neighbours share two days, so that nothing is
 * missed if the list excludes the first or the last day that is requested.
 */
export function partsOf({ first, last }: ListPeriod, count: number): ListPeriod[] {
  const parted = Math.max(1, count);
  const days = Math.max(3, Math.ceil((daysBetween(first, last) + parted - 1) / parted));
  const parts: ListPeriod[] = [];
  for (let end = last; ; ) {
    const begin = addDays(end, -days);
    if (begin <= first) return [...parts, { first, last: end }];
    parts.push({ first: begin, last: end });
    end = addDays(begin, 1);
  }
}

/** Splits a period in two, the newer first; null when it is too short. */
export function halvesOf({ first, last }: ListPeriod): [newer: ListPeriod, older: ListPeriod] | null {
  const days = daysBetween(first, last);
  if (days < 3) return null;
  const middle = addDays(first, Math.floor(days / 2));
  return [
    { first: middle, last },
    { first, last: addDays(middle, 1) },
  ];
}

/** An earlier date of payment or creation names no date. */
export const EARLIEST = new Date(Date.UTC(FIRST_YEAR, 0));

/** Up to so long before the creation, in ms, a payment is possible: its date may be a day without a time. */
export const BEFORE_CREATION_MS = DAY_MS;

/**
 * The creation of an invoice. A date up to a day ahead counts as now, since a clock may be off by hours; a
 * later one counts as no date.
 */
export function possibleCreation(createdAt: Date | null, now: Date): Date | null {
  if (createdAt === null || createdAt <= now) return createdAt;
  return createdAt.getTime() <= now.getTime() + DAY_MS ? now : null;
}

/**
 * A date of payment, from any answer. A date that is absurd, before the invoice's creation or more than a day
 * ahead does not count. A day is allowed because payments are made after `now` was read too, and the
 * provider's clock may be off by hours.
 */
export function possiblePayment(paidAt: Date | null, createdAt: Date | null, now: Date): Date | null {
  if (paidAt === null || paidAt < EARLIEST || paidAt.getTime() > now.getTime() + DAY_MS) return null;
  const created = possibleCreation(createdAt, now);
  return created !== null && paidAt.getTime() < created.getTime() - BEFORE_CREATION_MS ? null : paidAt;
}

/**
 * The meaning of a list's days, which the interface (part A) does not define: what they date, whose days they
 * are, and which of the two days of a request the list includes.
 */
export interface ListDates {
  by: "created_at" | "paid_at";
  zone: string;
  ends: "both" | "first" | "last" | "neither";
}

/** How many invoices a list counts as paid on each day. */
export type PerDay = ReadonlyMap<string, number>;

const BY: readonly ListDates["by"][] = ["created_at", "paid_at"];
const ENDS: readonly ListDates["ends"][] = ["both", "first", "last", "neither"];

/** The days that a list includes when these are requested. */
export const includedDays = ({ first, last }: ListPeriod, { ends }: ListDates): ListPeriod => ({
  first: ends === "both" || ends === "first" ? first : addDays(first, 1),
  last: ends === "both" || ends === "last" ? last : addDays(last, -1),
});

/** The days to request so that the list includes exactly these. */
export const requestFor = ({ first, last }: ListPeriod, { ends }: ListDates): ListPeriod => ({
  first: ends === "both" || ends === "first" ? first : addDays(first, -1),
  last: ends === "both" || ends === "last" ? last : addDays(last, 1),
});

export function countOn(perDay: PerDay, { first, last }: ListPeriod): number {
  let count = 0;
  for (const [day, paid] of perDay) if (day >= first && day <= last) count += paid;
  return count;
}

/** Yesterday by the list's own days: it and what follows are read whole by each sweep. */
export const recentSince = (now: Date, zone: string): string => addDays(bookDayOf(now, zone), -1);

/** A list may have changed since it was read: so much of its count, as a share. */
const TOLERANCE = 0.02;

/**
 * The meaning of a list's days by which its count is nearest to that of the stored payments; null when none is
 * near, so that its counts show nothing. Of equals the first.
 * @param count what the list counts as paid for the request; null when it does not say.
 * @param readPerDay the stored payments by day.
 */
export async function meaningOfDates(
  requested: ListPeriod,
  count: number | null,
  zones: readonly string[],
  readPerDay: (dates: Pick<ListDates, "by" | "zone">) => Promise<PerDay>,
): Promise<ListDates | null> {
  if (count === null) return null;
  let best: { dates: ListDates | null; difference: number } = {
    dates: null,
    difference: Math.floor(count * TOLERANCE) + 1,
  };
  for (const by of BY)
    for (const zone of new Set(zones)) {
      const perDay = await readPerDay({ by, zone });
      for (const ends of ENDS) {
        const dates = { by, zone, ends };
        const difference = Math.abs(count - countOn(perDay, includedDays(requested, dates)));
        if (difference < best.difference) best = { dates, difference };
      }
    }
  return best.dates;
}
