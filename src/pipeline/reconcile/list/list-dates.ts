import { addDays, bookDayOf } from "../../../platform/values/index.ts";
import type { ListPeriod } from "./list-period.ts";

/**
 * What the days of a list mean, which the interface (part A) does not say: what they date, whose days they are,
 * and which of the two days of a request the list includes.
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
