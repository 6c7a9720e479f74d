import { type CpuCosts, cpuRatios } from "./cpu-time.ts";
import { rounded, type TableOf } from "./report.ts";
import { ratiosOf, type Spread, spreadOf } from "./spread.ts";

export interface Rate {
  perSecond: number;
  cpu: CpuCosts;
}

type Rounds = Record<string, readonly Rate[]>;

const ratesOf = (rounds: readonly Rate[] = []) => rounds.map(({ perSecond }) => perSecond);

/** The relay's rate and processor time by those of each reference that was measured beside it. */
export function relayRatios(rounds: Rounds, relay = "relay"): Record<string, Spread> {
  const own = rounds[relay];
  const references = Object.keys(rounds).filter((name) => name !== relay && name !== "generatorCeiling");
  const named = (prefix: string, name: string) =>
    `${prefix}To${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return Object.fromEntries([
    ...references.map((name) => [
      named("ratio", name),
      spreadOf(ratiosOf(ratesOf(own), ratesOf(rounds[name]))),
    ]),
    ...references.map((name) => [named("cpuRatio", name), spreadOf(cpuRatios(own, rounds[name]))]),
  ]);
}

/** Rates of the clock; `more`: further columns, each the median of a figure. */
export const rateTable = <Figures extends Rate>(
  title: string,
  rounds: Record<string, readonly Figures[]>,
  more: Record<string, (figures: Figures) => number> = {},
): TableOf => ({
  title,
  header: ["", "per second", "least", "most", ...Object.keys(more)],
  rows: Object.entries(rounds).map(([name, measured]) => {
    const { min, median, max } = spreadOf(ratesOf(measured));
    const others = Object.values(more).map((of) => spreadOf(measured.map(of)).median);
    return [name, ...[median, min, max, ...others].map(rounded)];
  }),
});
