import type { Database } from "../database/connect.ts";
import { isNotAllowed } from "../database/postgres-errors.ts";
import type { Logger } from "../kit/log.ts";
import { isReadyForNextMonth, makePartitions } from "../record/partitions.ts";

/**
 * Makes the log's partitions that are due, if that can be done now: until it is, the default partition takes
 * the callbacks, so nothing waits for it. A database user who may not do it leaves it to `migrate`.
 * @returns what is wrong, for a person; null when nothing is.
 */
export async function keepPartitions({ db, log }: { db: Database; log: Logger }): Promise<string | null> {
  try {
    const made = await makePartitions(db, new Date(), { tries: 1, brief: true });
    if (made.length > 0) log.info({ partitions: made }, "made partitions of the callback log");
    return null;
  } catch (error) {
    if (!isNotAllowed(error)) throw error;
    log.info(
      "this database user may not make partitions of the callback log: `migrate` makes them, and " +
        "whoever holds the role worker",
    );
    if (await isReadyForNextMonth(db)) return null;
    return (
      "the coming month of the callback log has no partition, and this database user may not make one: " +
      "run invoice-relay migrate, or grant the role worker"
    );
  }
}
