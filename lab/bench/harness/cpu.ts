import { readdirSync, readFileSync } from "node:fs";

/** `getconf CLK_TCK`, which is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** CPU seconds of a process itself, and of its children that have ended; null when it is gone. */
function timesOf(pid: number) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in brackets may hold spaces; fields after it are numbered from the third on.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const seconds = (field: number) => Number(fields[field - 3]) / TICKS_PER_SECOND;
    return { parent: Number(fields[1]), own: seconds(14) + seconds(15), reaped: seconds(16) + seconds(17) };
  } catch {
    return null;
  }
}

/** CPU seconds that a process has used so far. */
export const cpuSecondsOf = (pid: number): number => timesOf(pid)?.own ?? 0;

/** CPU seconds of the postmaster and all its children, those that have ended included. */
export function cpuSecondsOfPostgres(postmaster: number): number {
  const own = timesOf(postmaster);
  const children = readdirSync("/proc").flatMap((entry) => {
    const times = /^\d+$/.test(entry) ? timesOf(Number(entry)) : null;
    return times?.parent === postmaster ? [times.own] : [];
  });
  return children.reduce((sum, seconds) => sum + seconds, (own?.own ?? 0) + (own?.reaped ?? 0));
}

/** CPU milliseconds for each 1,000 pieces of work, by process; `all` is every process but the load generator. */
export type CpuCosts = Record<string, number> & { all: number };

/** Takes the CPU clocks of several processes; the function that it returns gives the use since then. */
export function startCpuClock(clocks: Record<string, () => number>): (pieces: number) => CpuCosts {
  const read = () => Object.entries(clocks).map(([name, clock]) => [name, clock()] as const);
  const before = new Map(read());
  return (pieces) => {
    const costs = read().map(([name, seconds]): [string, number] => [
      name,
      Math.round(((seconds - (before.get(name) ?? 0)) * 1_000_000) / Math.max(pieces, 1)),
    ]);
    const work = costs.filter(([name]) => name !== "generator").reduce((sum, [, cost]) => sum + cost, 0);
    return { ...Object.fromEntries(costs), all: work };
  };
}

/**
 * CPU seconds after which V8 has compiled the code that runs often. Measured: after 3 the relay still needs 1.5
 * times the CPU of a relay that has worked for a minute, and bare references settle sooner.
 */
let warmCpuSeconds = 8;

/** Nothing is warmed up: for a run that only shows that everything runs. */
export function stayCold(): void {
  warmCpuSeconds = 0;
}

/**
 * Repeats some work until a process has used enough CPU time to be warm. Wall time would leave it cold on a busy
 * machine.
 */
export async function warmUp(pid: number, work: () => Promise<unknown>): Promise<void> {
  const from = cpuSecondsOf(pid);
  while (cpuSecondsOf(pid) - from < warmCpuSeconds) await work();
}
