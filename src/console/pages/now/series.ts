import type { Activity } from "../api/types.ts";

type Minute = Activity["minutes"][number];
export type Counted = "received" | "confirmed" | "published";

/**
 * One array for each, in the order of time, as the chart takes them: seconds, then counts; null is not
 * counted yet.
 */
type Columns = [
  at: number[],
  received: (number | null)[],
  published: (number | null)[],
  confirmed: (number | null)[],
];

/**
 * Steps as the chart's columns: one for each between the first and the last, whichever are missing.
 * @param stepMinutes how long one is.
 */
export function columnsOf(steps: readonly Minute[], stepMinutes: number): Columns {
  const known = new Map(steps.map((step) => [Math.floor(Date.parse(step.at) / 60_000 / stepMinutes), step]));
  const all = [...known.keys()];
  const columns: Columns = [[], [], [], []];
  if (all.length === 0) return columns;
  for (let at = Math.min(...all); at <= Math.max(...all); at += 1) {
    const minute = known.get(at);
    columns[0].push(at * stepMinutes * 60);
    columns[1].push(minute?.received ?? null);
    columns[2].push(minute?.published ?? null);
    columns[3].push(minute?.confirmed ?? null);
  }
  return columns;
}

/** Where a count is drawn as a dot: nothing happened in the other minutes. */
export const dotsOf = (counts: readonly (number | null | undefined)[]): number[] =>
  counts.flatMap((count, at) => (count ? [at] : []));

/** How many of each in all of these steps. */
export function totalsOf(minutes: readonly Minute[]): Record<Counted, number> {
  const sum = (what: Counted) => minutes.reduce((total, minute) => total + (minute[what] ?? 0), 0);
  return { received: sum("received"), confirmed: sum("confirmed"), published: sum("published") };
}
