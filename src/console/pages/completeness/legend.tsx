import type { DayState } from "./day-state.ts";
import { MARKS } from "./month-grid.tsx";

const MEANS: Readonly<Record<Exclude<DayState, "none">, string>> = {
  equal: "every payment came through",
  missing: "payments are missing",
  differs: "nothing is missing, but look",
  refused: "could not be proven",
  unproven: "no certificate yet",
};

const STATES = Object.keys(MEANS) as (keyof typeof MEANS)[];

/** What the marks of a calendar mean, as far as there are any. */
export function Legend({ states }: { states: readonly DayState[] }) {
  const there = STATES.filter((state) => states.includes(state));
  if (there.length === 0) return null;
  return (
    <ul class="completeness-legend">
      {there.map((state) => (
        <li key={state}>
          <span class={`legend-mark is-${state}`} aria-hidden="true">
            {state === "missing" ? "2" : MARKS[state]}
          </span>
          {MEANS[state]}
        </li>
      ))}
    </ul>
  );
}
