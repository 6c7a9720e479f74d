import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseAway } from "../database/postgres-errors.ts";
import { messageOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";

/** The time from one try to the next, in ms. */
const AGAIN_MS = 1_000;

/**
 * Tries until the database is there. That it is away is logged when it begins, and each time the reason
 * changes.
 * @returns true once it is there; false once `stop` is aborted, perhaps with a try still under way.
 * @throws any other error at once: what a person has to put right is not waited for.
 */
export async function waitForDatabase(
  attempt: () => Promise<void>,
  { log, stop }: { log: Logger; stop: AbortSignal },
): Promise<boolean> {
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  if (stop.aborted) return false;
  stop.addEventListener("abort", () => resolve(), { once: true });
  let reason: string | null = null;
  while (!stop.aborted) {
    const trying = attempt().then(
      () => null,
      (error: unknown) => ({ error }),
    );
    const failed = await Promise.race([trying, stopped]);
    if (failed === undefined) return false;
    if (failed === null) {
      if (reason !== null) log.info("the database is there: the start goes on");
      return true;
    }
    if (!isDatabaseAway(failed.error)) throw failed.error;
    const error = messageOf(failed.error);
    if (error !== reason)
      log.warn({ error }, "waiting for the database; meanwhile callbacks are answered 503, to be sent again");
    reason = error;
    await sleep(AGAIN_MS, undefined, { signal: stop }).catch(() => undefined);
  }
  return false;
}
