import { setTimeout as sleep } from "node:timers/promises";
import type { Pass } from "../pass.ts";

/** A line that has nothing to do looks again after this long at the latest, in ms, while others work. */
const LOOKS_AGAIN_MS = 1_000;

/**
 * Runs lines of passes side by side, the passes of a line one after the other. A line goes on while one of
 * its passes expects more work within `lingerMs`, which is faster than a new invocation, and looks again as
 * long as any other works: a slow line takes nobody's turn, although only one invocation runs at a time. The
 * schedule picks up the rest, also after `stop`.
 * @throws what the last try of a line failed with, once no line works any more.
 */
export async function drain(
  lines: readonly (readonly Pass[])[],
  lingerMs: number,
  stop: AbortSignal,
): Promise<void> {
  const allDone = new AbortController();
  const ends = AbortSignal.any([stop, allDone.signal]);
  const failures = new Map<readonly Pass[], unknown>();
  let working = lines.length;
  const run = async (line: readonly Pass[]) => {
    while (!ends.aborted) {
      let soonest = Number.POSITIVE_INFINITY;
      try {
        for (const pass of line) soonest = Math.min(soonest, (await pass(stop)) ?? soonest);
        failures.delete(line);
      } catch (error) {
        failures.set(line, error);
        soonest = Number.POSITIVE_INFINITY;
      }
      const lingers = soonest <= lingerMs;
      if (!lingers) working -= 1;
      if (working === 0) allDone.abort();
      const waitMs = Math.min(soonest, lingers ? lingerMs : LOOKS_AGAIN_MS);
      await sleep(waitMs, undefined, { signal: ends }).catch(() => undefined);
      if (!lingers) working += 1;
    }
  };
  await Promise.all(lines.map(run));
  for (const error of failures.values()) throw error;
}
