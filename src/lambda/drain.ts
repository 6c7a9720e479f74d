import { setTimeout as sleep } from "node:timers/promises";
import type { Pass } from "../app/passes.ts";

/** Work that is due within this time, in ms, is waited for: another start would cost more. */
const LINGER_MS = 3_000;

/** Runs a pass again and again until nothing is due soon, or until it is asked to stop. What remains is the schedule's. */
export async function drain(pass: Pass, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const moreInMs = await pass(stop);
    if (moreInMs === null || moreInMs > LINGER_MS) return;
    await sleep(moreInMs, undefined, { signal: stop }).catch(() => undefined);
  }
}
