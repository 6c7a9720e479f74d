import { setTimeout as sleep } from "node:timers/promises";
import type { Pass } from "../app/pass.ts";

/**
 * Runs passes one after the other, and again as long as one of them says that there is more within
 * `lingerMs`: for what someone waits for, another start would take longer. What remains is the schedule's, as
 * it is after `stop`.
 */
export async function drain(passes: readonly Pass[], lingerMs: number, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    let soonest = Number.POSITIVE_INFINITY;
    for (const pass of passes) soonest = Math.min(soonest, (await pass(stop)) ?? soonest);
    if (soonest > lingerMs) return;
    await sleep(soonest, undefined, { signal: stop }).catch(() => undefined);
  }
}
