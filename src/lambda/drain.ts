import { setTimeout as sleep } from "node:timers/promises";
import type { Pass } from "../app/pass.ts";

/**
 * Runs passes one after the other, and again while one of them expects more work within `lingerMs`: that is
 * faster than a new invocation. The schedule picks up the rest, also after `stop`.
 */
export async function drain(passes: readonly Pass[], lingerMs: number, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    let soonest = Number.POSITIVE_INFINITY;
    for (const pass of passes) soonest = Math.min(soonest, (await pass(stop)) ?? soonest);
    if (soonest > lingerMs) return;
    await sleep(soonest, undefined, { signal: stop }).catch(() => undefined);
  }
}
