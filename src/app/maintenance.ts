import type { Alarms } from "../database/alarms.ts";
import type { Database } from "../database/connect.ts";
import { backOffMs } from "../kit/back-off.ts";
import type { Logger } from "../kit/log.ts";
import { type Chores, type ChoresDone, doChores } from "../operate/chores.ts";

interface MaintenanceContext {
  db: Database;
  alarms: Alarms;
  log: Logger;
}

/** What failed is tried again neither so often that it is a burden nor so late that nobody sees it mended. */
const BACK_OFF = { firstMs: 60_000, capMs: 3_600_000 };

/** Does these chores. @returns how long until the next try of what failed, in ms; null when all is done. */
export async function maintain(context: MaintenanceContext, chores: Chores): Promise<number | null> {
  return tellChores(context, await doChores(context.db, chores));
}

/** Logs what failed, and the alarms. @returns the same. */
export function tellChores({ alarms, log }: Omit<MaintenanceContext, "db">, done: ChoresDone): number | null {
  const { failed, failures, told } = done;
  alarms.tellAll(told);
  if (failed.length === 0) return null;
  log.warn({ failed, failures }, "maintenance failed; it will be tried again");
  return backOffMs(failures, BACK_OFF);
}
