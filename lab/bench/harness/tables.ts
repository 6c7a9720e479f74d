import type { CpuCosts } from "./cpu-time.ts";
import type { HotSpot } from "./profiler.ts";
import { rounded, type TableOf } from "./report.ts";
import { type Spread, spreadOf } from "./spread.ts";

/**
 * Ratios of the rounds: what counts, because machine and neighbours drop out. No table where nothing was
 * compared.
 */
export function ratioTable(ratios: Record<string, Spread>, title = "Ratios, round by round"): TableOf[] {
  const rows = Object.entries(ratios).map(([name, { min, median, max }]) => [
    name,
    ...[median, min, max].map(rounded),
  ]);
  return rows.length === 0 ? [] : [{ title, header: ["", "median", "least", "most"], rows }];
}

/** Who used the processors, which shows what was the limit. */
export function cpuTable(rounds: Record<string, readonly { cpu: CpuCosts }[]>): TableOf {
  const names = Object.keys(rounds);
  const clocks = Object.keys(rounds[names[0] ?? ""]?.[0]?.cpu ?? {});
  return {
    title: "CPU ms for each 1,000 callbacks, the median of the rounds",
    header: ["", ...clocks, "all"],
    rows: names.map((name) => {
      const costs = clocks.map(
        (clock) => spreadOf((rounds[name] ?? []).map(({ cpu }) => cpu[clock] ?? 0)).median,
      );
      return [name, ...costs.map(Math.round), Math.round(costs.reduce((sum, cost) => sum + cost, 0))];
    }),
  };
}

/** Where the relay's own CPU time goes. */
export const profileTable = (hot: readonly HotSpot[]): TableOf => ({
  title: "Where the relay's CPU time goes (self time)",
  header: ["share %", "function", "in"],
  rows: hot.map(({ share, name, at }) => [rounded(share * 100), name, at]),
});
