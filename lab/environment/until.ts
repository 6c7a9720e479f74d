import { setTimeout as delay } from "node:timers/promises";

/**
 * Waits until a condition holds. Works outside vitest as well, where `eventually` does not.
 * @param withinMs for ever by default
 * @param everyMs the time between two checks
 * @returns whether it held in time.
 */
export async function until(
  holds: () => Promise<boolean>,
  { withinMs = Number.POSITIVE_INFINITY, everyMs = 250 } = {},
): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() >= end) return false;
    await delay(everyMs);
  }
  return true;
}
