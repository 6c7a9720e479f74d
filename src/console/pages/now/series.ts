import type { Activity } from "../api/types.ts";

type Step = Activity["minutes"][number];
export type Counted = "received" | "confirmed" | "published";

/** Steps in the order of time, the missing ones null: not counted yet. @param stepMinutes how long one is. */
export function stepsOf(steps: readonly Step[], stepMinutes: number): Step[] {
  const stepMs = stepMinutes * 60_000;
  const known = new Map(steps.map((step) => [Math.floor(Date.parse(step.at) / stepMs), step]));
  const [first = 0, last = -1] = [Math.min(...known.keys()), Math.max(...known.keys())];
  return Array.from({ length: Math.max(0, known.size && last - first + 1) }, (_, n) => {
    const { received = null, confirmed = null, published = null } = known.get(first + n) ?? {};
    return { at: new Date((first + n) * stepMs).toISOString(), received, confirmed, published };
  });
}

/** What stands at the top of the chart: above every bar, and half of it a whole number. */
export function topOf(steps: readonly Step[]): number {
  const most = Math.max(
    4,
    ...steps.map(({ received, published }) => Math.max(received ?? 0, published ?? 0)),
  );
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 6, 8, 10].map((times) => times * power).find((top) => top >= most && top > 1) ?? most;
}

export function totalsOf(steps: readonly Step[]): Record<Counted, number> {
  const sum = (what: Counted) => steps.reduce((total, step) => total + (step[what] ?? 0), 0);
  return { received: sum("received"), confirmed: sum("confirmed"), published: sum("published") };
}
