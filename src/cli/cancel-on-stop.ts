import { setTimeout as delay } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { RelayError } from "../kit/errors.ts";
import type { StopRequest } from "./stop-request.ts";

/** A statement that has just begun may miss one cancellation, so they are repeated, in ms. */
const AGAIN_MS = 100;

/**
 * Runs work on the database; once someone wishes to stop, its statements are cancelled there. A process that
 * merely ended would leave them behind, waiting or working under their locks.
 * @param applicationName the one name under which this process' sessions, and no others, are known
 * @throws RelayError when it was stopped
 */
export async function cancelOnStop<Schema, Result>(
  db: Kysely<Schema>,
  applicationName: string,
  stop: StopRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  let isDone = false;
  const cancel = async () => {
    while (!isDone) {
      await sql`
        select pg_cancel_backend(pid) from pg_stat_activity
        where application_name = ${applicationName} and pid <> pg_backend_pid() and state <> 'idle'`.execute(
        db,
      );
      await delay(AGAIN_MS);
    }
  };
  // A database that is away has nothing to cancel, and the work hears of it itself.
  const cancelling = stop.asked.then(cancel).catch(() => undefined);
  try {
    return await work();
  } catch (cause) {
    if (!stop.signal.aborted) throw cause;
    throw new RelayError("Stopped. Nothing of what was under way was kept: run it again.", {
      next: "retry",
      cause,
    });
  } finally {
    isDone = true;
    if (stop.signal.aborted) await cancelling;
    stop.release();
  }
}
