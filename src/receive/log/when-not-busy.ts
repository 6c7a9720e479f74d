import { setTimeout as delay } from "node:timers/promises";
import { isLockTimeout } from "../../database/postgres-errors.ts";

const REST_MS = 1_000;

/**
 * Does the work, and tries again while others hold the locks that it needs.
 * @throws lock_not_available after so many tries.
 */
export async function whenNotBusy<Result>(tries: number, work: () => Promise<Result>): Promise<Result> {
  for (let left = tries - 1; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left <= 0 || !isLockTimeout(error)) throw error;
      // Lets what waited behind the lock go first.
      await delay(REST_MS);
    }
  }
}
