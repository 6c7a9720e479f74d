import type { Activity } from "../api/types.ts";

type Minute = Activity["minutes"][number];
export type Counted = "received" | "confirmed" | "published";

/** What stands at the top of the chart: above every bar, and half of it a whole number. */
export function topOf(minutes: readonly Minute[]): number {
  const most = Math.max(4, ...minutes.map(({ received, published }) => Math.max(received, published)));
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 6, 8, 10].map((times) => times * power).find((top) => top >= most && top > 1) ?? most;
}

export function totalsOf(minutes: readonly Minute[]): Record<Counted, number> {
  const sum = (what: Counted) => minutes.reduce((total, minute) => total + minute[what], 0);
  return { received: sum("received"), confirmed: sum("confirmed"), published: sum("published") };
}
