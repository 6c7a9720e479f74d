import { isNotAllowed } from "../kit/postgres-errors.ts";
import { backOffMs } from "../kit/waiting.ts";
import { type Chores, type ChoresDone, doChores } from "../operate/chores.ts";
import { isReadyForNextMonth, makePartitions } from "../receive/log/partitions.ts";
import type { PassContext } from "./pass.ts";

type MaintenanceContext = Pick<PassContext, "db" | "alarms" | "log">;

/** What failed is tried again neither so often that it is a burden nor so late that nobody sees it mended. */
const BACK_OFF = { firstMs: 60_000, capMs: 3_600_000 };

/** Does these chores. @returns how long until the next try of what failed, in ms; null when all is done. */
export async function maintain(context: MaintenanceContext, chores: Chores): Promise<number | null> {
  return logChores(context, await doChores(context.db, chores));
}

/** Logs what failed, and the alarms. @returns the same. */
export function logChores(context: Omit<MaintenanceContext, "db">, done: ChoresDone): number | null {
  const { failed, bugs, failures, told } = done;
  context.alarms.notifyAll(told);
  if (failed.length === 0) return null;
  context.log.warn({ failed, failures }, "maintenance failed; it will be tried again");
  for (const bug of bugs) context.log.error(bug, "a chore met a bug");
  return backOffMs(failures, BACK_OFF);
}

/**
 * Makes the log's partitions that are due, if that can be done now: until it is, the default partition takes
 * the callbacks, so nothing waits for it. A database user who may not do it leaves it to `migrate`.
 * @returns what is wrong, for a person; null when nothing is.
 */
export async function keepPartitions({ db, log }: Pick<PassContext, "db" | "log">): Promise<string | null> {
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
