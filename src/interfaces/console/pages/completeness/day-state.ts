import { addDays, daysBetween } from "../../../../platform/values/time.ts";
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

const countedText = (what: string, tally: { count: number; amount: string } | undefined) =>
  `${countText(tally?.count ?? 0)} ${what}, ${moneyText(tally?.amount ?? "0")}`;

/** Lists that contradict themselves prove nothing, and no money is known to be missing. */
export const toneOfDay = (state: DayState): Tone => (state === "refused" ? "wait" : toneOf(state));

/** A day's state for readers of the calendar, in a few words. */
export const wordsOfDay = (state: DayState, certified: CalendarDay | undefined): string =>
  ({
    missing: countedText("missing", certified?.missing),
    differs: `${countText(certified?.differences ?? 0)} to look at`,
    refused: "not shown",
    unproven: "not certified",
    equal: `complete, ${certified?.paid.count === 0 ? "no payment" : countedText("paid", certified?.paid)}`,
    none: "",
  })[state];

/** Where a certificate names no difference of a day. @param counted how many it counts. */
export const wordsOfNone = (counted: number): string =>
  counted === 0
    ? "No difference: each payment is in all three places."
    : `${countText(counted)} to look at, without names: its certificate names 10,000 of other days. ` +
      "Certify this day alone.";

/** The days in one sentence. */
export function sentenceOf(states: readonly DayState[]): string {
  const count = (...wanted: DayState[]) => states.filter((state) => wanted.includes(state)).length;
  const [proven, unproven, open] = [
    count("equal"),
    count("unproven"),
    count("missing", "differs", "refused"),
  ];
  if (states.length === 0) return "There is no day to prove yet: certificates are of days that are over.";
  const rest = unproven === 0 ? "" : ` ${numberOf(unproven, "day has", "days have")} no certificate yet.`;
  if (open > 0)
    return `${numberOf(open, "day needs", "days need")} a look; ${numberOf(proven, "day")} proven.${rest}`;
  return proven === 0 ? rest.trim() : `All is complete: ${numberOf(proven, "day")} proven.${rest}`;
}

/** A day as certificates name it: `2026-11-22`, in the zone of the books. */
type Day = string;

/** Both included. */
export const daysFromTo = (from: Day, to: Day): Day[] =>
  Array.from({ length: Math.max(0, daysBetween(from, to) + 1) }, (_, n) => addDays(from, n));
