import type { Database } from "../database/connect.ts";
import { isLockTimeout, isNotAllowed } from "../database/postgres-errors.ts";
import type { Logger } from "../kit/log.ts";
import { makePartitions } from "../record/partitions.ts";

/** How long until the next try, in ms. */
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/**
 * Makes the log's partitions that are due, if that can be done now: until it is, the default partition takes
 * the callbacks, so nothing waits for it. If the database user may not do it, it says once who does.
 */
export class PartitionKeeper {
  readonly #db: Database;
  readonly #log: Logger;
  #saidWhoDoes = false;

  constructor(db: Database, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** @returns how long until the next try, in ms. */
  async make(): Promise<number> {
    try {
      const made = await makePartitions(this.#db, new Date(), 1);
      if (made.length > 0) this.#log.info({ partitions: made }, "made partitions of the callback log");
      return DAY_MS;
    } catch (error) {
      if (isLockTimeout(error)) return MINUTE_MS;
      if (!isNotAllowed(error)) throw error;
      if (!this.#saidWhoDoes)
        this.#log.info(
          "this database user may not make partitions of the callback log: `migrate` makes them, and " +
            "whoever holds the role worker",
        );
      this.#saidWhoDoes = true;
      return DAY_MS;
    }
  }
}
