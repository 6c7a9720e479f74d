import { readdirSync, readFileSync } from "node:fs";

/** `getconf CLK_TCK`, which is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  parent: number;
  /** CPU seconds of the process itself. */
  own: number;
  /** CPU seconds of its children that have ended. */
  reaped: number;
}

function timesOf(pid: number): ProcessTimes | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in brackets may hold spaces; what follows it is numbered from the third field on.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = (field: number) => Number(fields[field - 3]) / TICKS_PER_SECOND;
    return { parent: Number(fields[1]), own: ticks(14) + ticks(15), reaped: ticks(16) + ticks(17) };
  } catch {
    return null;
  }
}

/** CPU seconds that a process has used so far. */
export const cpuSecondsOf = (pid: number): number => timesOf(pid)?.own ?? 0;

/** CPU seconds of the postmaster and all its children, those that have ended included. */
export function cpuSecondsOfPostgres(postmaster: number): number {
  const own = timesOf(postmaster);
  let seconds = (own?.own ?? 0) + (own?.reaped ?? 0);
  for (const entry of readdirSync("/proc")) {
    const times = /^\d+$/.test(entry) ? timesOf(Number(entry)) : null;
    if (times?.parent === postmaster) seconds += times.own;
  }
  return seconds;
}

/** CPU milliseconds for each 1,000 pieces of work, by process. */
export type CpuCosts = Record<string, number>;

/** Takes the CPU clocks of several processes; the function that it returns gives what they used since. */
export function startCpuClock(clocks: Record<string, () => number>): (pieces: number) => CpuCosts {
  const read = () => Object.entries(clocks).map(([name, clock]) => [name, clock()] as const);
  const before = new Map(read());
  return (pieces) =>
    Object.fromEntries(
      read().map(([name, seconds]) => [
        name,
        Math.round(((seconds - (before.get(name) ?? 0)) * 1_000_000) / Math.max(pieces, 1)),
      ]),
    );
}

/** CPU of everybody together, the load generator left out. */
export const cpuOfWork = (costs: CpuCosts): number =>
  Object.values(costs).reduce((sum, cost) => sum + cost, 0) - (costs.generator ?? 0);

/**
 * What the ratio of rates would be if nothing but processor time counted, round by round: it holds also on a
 * machine that other programs use.
 */
export const cpuRatios = (
  own: readonly { cpu: CpuCosts }[] = [],
  reference: readonly { cpu: CpuCosts }[] = [],
): number[] => own.map(({ cpu }, round) => cpuOfWork(reference[round]?.cpu ?? {}) / cpuOfWork(cpu));
