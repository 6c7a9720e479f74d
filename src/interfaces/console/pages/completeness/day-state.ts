import { addDays, dayOf, daysBetween } from "../../../../platform/values/time.ts";
import type { Calendar } from "../api/client.ts";
import { countText, moneyText, numberOf } from "../kit/text.ts";
import { type Tone, toneOf } from "../parts/words.ts";

export type CalendarDay = Calendar["days"][number];

/**
 * `equal`: proven. `missing`: paid and not published. `differs`: nothing is missing, but something could hide
 * money. `refused`: the lists contradict themselves, nothing is proven. `unproven`: no certificate covers it
 * yet. `none`: before the relay was first served, or not over yet.
 */
export type DayState = "equal" | "missing" | "differs" | "refused" | "unproven" | "none";

/** @param today and @param servedSince days of the books; the latter null when unknown. */
export function stateOfDay(
  day: Day,
  certified: CalendarDay | undefined,
  today: Day,
  servedSince: Day | null,
): DayState {
  if (certified === undefined) {
    if (day >= today || servedSince === null || day < servedSince) return "none";
    return "unproven";
  }
  if (certified.missing.count > 0) return "missing";
  if (certified.result === "refused") return "refused";
  return certified.differences > 0 || certified.result === "not_equal" ? "differs" : "equal";
}

const told = (what: string, tally: { count: number; amount: string } | undefined) =>
  `${countText(tally?.count ?? 0)} ${what}, ${moneyText(tally?.amount ?? "0")}`;

/** Lists that contradict themselves prove nothing, and no money is known to be missing. */
export const toneOfDay = (state: DayState): Tone => (state === "refused" ? "wait" : toneOf(state));

/** A day's state for readers of the calendar, in a few words. */
export const wordsOfDay = (state: DayState, certified: CalendarDay | undefined): string =>
  ({
    missing: told("missing", certified?.missing),
    differs: `${countText(certified?.differences ?? 0)} to look at`,
    refused: "not shown",
    unproven: "not certified",
    equal: `complete, ${certified?.paid.count === 0 ? "no payment" : told("paid", certified?.paid)}`,
    none: "",
  })[state];

/** Where a certificate names no difference of a day. @param counted how many it counts. */
export const wordsOfNone = (counted: number): string =>
  counted === 0
    ? "No difference: each payment is in all three places."
    : `${countText(counted)} to look at, without names: its certificate names 10,000 of other days. ` +
      "Certify this day alone.";

export interface Summary {
  proven: number;
  unproven: number;
  /** Days on which something is missing or differs. */
  open: number;
  missing: number;
}

export function summaryOf(states: readonly DayState[], certified: readonly CalendarDay[]): Summary {
  const count = (...wanted: DayState[]) => states.filter((state) => wanted.includes(state)).length;
  return {
    proven: count("equal"),
    unproven: count("unproven"),
    open: count("missing", "differs", "refused"),
    missing: certified.reduce((sum, { missing }) => sum + missing.count, 0),
  };
}

const days = (count: number) => numberOf(count, "day");

/** The calendar in one sentence. */
export function sentenceOf({ proven, unproven, open, missing }: Summary): string {
  if (proven + unproven + open === 0)
    return "There is no day to prove yet: certificates are of days that are over.";
  const rest = unproven === 0 ? "" : ` ${numberOf(unproven, "day has", "days have")} no certificate yet.`;
  if (open === 0)
    return proven === 0
      ? rest.trim()
      : `All is complete: ${days(proven)} proven, no payment is missing.${rest}`;
  const gaps =
    missing === 0
      ? `${days(open)} could not be proven`
      : `${numberOf(missing, "payment is", "payments are")} missing`;
  return `${gaps}: ${days(open)} of ${days(proven + open)} ${open === 1 ? "needs" : "need"} a look.${rest}`;
}

/** A day as certificates name it: `2026-11-22`, in the zone of the books. */
type Day = string;

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

const nextMonth = (first: Day): Day => monthsBefore(first, -1);

/** The first day of the month so many months before the day's. */
export function monthsBefore(day: Day, months: number): Day {
  const at = new Date(day);
  return dayOf(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - months, 1));
}

/** From the first day shown and served to yesterday; served since today, it is yesterday alone. */
export function periodToProve(shownFrom: Day, servedSince: Day | null, today: Day): { from: Day; to: Day } {
  const to = addDays(today, -1);
  const first = servedSince !== null && servedSince > shownFrom ? servedSince : shownFrom;
  return { from: first < to ? first : to, to };
}
