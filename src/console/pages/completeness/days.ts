import { addDays, dayOf, daysBetween } from "../../../kit/time.ts";

/** A day as certificates name it: `2026-11-22`, UTC. */
export type Day = string;

/** Both included. */
export const daysFromTo = (from: Day, to: Day): Day[] =>
  Array.from({ length: Math.max(0, daysBetween(from, to) + 1) }, (_, n) => addDays(from, n));

/** Months of weeks from Monday to Sunday; null where a week reaches into another month. */
export interface Month {
  /** `2026-11` */
  name: string;
  weeks: (Day | null)[][];
}

/** The months that hold these days, the oldest first, each with all of its days. */
export function monthsFromTo(from: Day, to: Day): Month[] {
  const months: Month[] = [];
  for (let first = `${from.slice(0, 7)}-01`; first <= to; first = nextMonth(first)) {
    const days: (Day | null)[] = daysFromTo(first, addDays(nextMonth(first), -1));
    const before = (new Date(first).getUTCDay() + 6) % 7;
    const cells = [...Array.from({ length: before }, () => null), ...days];
    while (cells.length % 7 !== 0) cells.push(null);
    const weeks = Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
    months.push({ name: first.slice(0, 7), weeks });
  }
  return months;
}

/** The first day of the month after. */
function nextMonth(first: Day): Day {
  const at = new Date(first);
  return dayOf(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));
}

/** So many months before the one that holds the day: its first day. */
export function monthsBefore(day: Day, months: number): Day {
  const at = new Date(day);
  return dayOf(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - months, 1));
}
