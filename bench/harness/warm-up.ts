import { cpuSecondsOf } from "./cpu-time.ts";

/** CPU seconds after which V8 has compiled what runs often. */
const WARM_CPU_SECONDS = 2.5;

/**
 * Repeats some work until the process has used enough CPU time to be warm. Counting time of the clock would leave
 * it cold on a machine that others use as well.
 */
export async function warmUp(pid: number, work: () => Promise<unknown>): Promise<void> {
  for (const from = cpuSecondsOf(pid); cpuSecondsOf(pid) - from < WARM_CPU_SECONDS; ) await work();
}
