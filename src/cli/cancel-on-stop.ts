import { setTimeout as delay } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { RelayError } from "../kit/errors.ts";
import type { StopRequest } from "./stop-request.ts";

/** A statement that has only just started can miss a cancellation, so it is repeated this often, in ms. */
const AGAIN_MS = 100;

/**
 * Runs work on the database and cancels its statements there when a stop is requested. If the process just
 * exited, they would keep running on the server and hold their locks.
 * @param applicationName must be unique to this process: sessions of this name are cancelled
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
  // If the database is away there is nothing to cancel, and the work fails on its own.
  const cancelling = stop.asked.then(cancel).catch(() => undefined);
  try {
    return await work();
  } catch (cause) {
    if (!stop.signal.aborted) throw cause;
    throw new RelayError("Stopped. The unfinished work was rolled back: run the command again.", {
      next: "retry",
      cause,
    });
  } finally {
    isDone = true;
    if (stop.signal.aborted) await cancelling;
    stop.release();
  }
}
