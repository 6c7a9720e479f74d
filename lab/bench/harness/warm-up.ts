import { cpuSecondsOf } from "./cpu-time.ts";

/**
 * CPU seconds after which V8 has compiled what runs often. Measured: after 3 the relay still needs 1.5 times
 * the CPU of a relay that has worked for a minute, and bare references settle sooner than anybody with code
 * of their own.
 */
let warmCpuSeconds = 8;

/** Nobody is warmed up: for who only wants to see that everything runs. */
export function stayCold(): void {
  warmCpuSeconds = 0;
}

/**
 * Repeats some work until each process has used enough CPU time to be warm. Counting time of the clock would
 * leave it cold on a machine that others use as well.
 */
export async function warmUp(pids: readonly number[], work: () => Promise<unknown>): Promise<void> {
  const from = new Map(pids.map((pid) => [pid, cpuSecondsOf(pid)]));
  const isCold = (pid: number) => cpuSecondsOf(pid) - (from.get(pid) ?? 0) < warmCpuSeconds;
  while (pids.some(isCold)) await work();
}
