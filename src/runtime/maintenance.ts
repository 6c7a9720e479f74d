import { applyRetention, type Chores, type ChoresDone, checkErased, doChores } from "../operations/index.ts";
import { holdOrReleaseTestEvents } from "../pipeline/publish/index.ts";
import { makePartitions } from "../pipeline/receive/index.ts";
import { backOffMs } from "../platform/process/index.ts";
import { DAY_MS } from "../platform/values/index.ts";
import type { JobContext } from "./job.ts";

const SECOND_MS = 1_000;

/** The most that a failing chore may keep the others waiting. */
const CHORES_WAIT_LIMIT_MS = 30_000;

/** The small chores: Test events put on hold or released, quiet alarms, late erasures, settled statuses. */
export async function doSmallChores(context: JobContext): Promise<number | null> {
  const { db, alarms, log } = context;
  let hasMore = false;
  const retryInMs = await maintain(context, {
    // By today's settings, in every run: an older or newer process may write others.
    async held_events() {
      const { released, more } = await holdOrReleaseTestEvents(db, context.sources);
      hasMore ||= more;
      if (released === 0) return;
      log.info({ released }, "held events of Test invoices go out: there is a topic for them now");
      context.onEvents();
    },
    late_personal_data: () => checkErased(db),
    quiet_alarms: () => alarms.clearQuiet(),
  });
  return hasMore ? SECOND_MS : retryInMs && Math.min(retryInMs, CHORES_WAIT_LIMIT_MS);
}

/** Drops what has been kept for long enough. */
export async function dropWhatIsOld(context: JobContext, stop: AbortSignal): Promise<number> {
  const { db, settings, log } = context;
  let retryInMs: number | null = null;
  const {
    personalData,
    failed: _,
    ...left
  } = await applyRetention({
    db,
    actor: "relay",
    retentionMs: settings.RETENTION,
    personalDataMs: settings.PERSONAL_DATA_RETENTION,
    stop,
    onDone: (done) => {
      retryInMs = logChores(context, done);
    },
  });
  if (personalData !== null && personalData.invoices > 0)
    log.info({ personalData }, "blanked what is older than PERSONAL_DATA_RETENTION");
  if (left.partitions.length + left.stragglers + left.unknownConfirmations > 0)
    log.info(left, "dropped callbacks that are older than RETENTION, and ids that stayed unknown");
  if (personalData?.more === true) return 0;
  return retryInMs ?? DAY_MS;
}

/** Makes the log's partitions that are due. */
export const makePartitionsDue = async (context: JobContext): Promise<number> =>
  (await maintain(context, { partitions: () => keepPartitions(context) })) ?? DAY_MS;

type MaintenanceContext = Pick<JobContext, "db" | "alarms" | "log">;

/** The waits before a failed chore is tried again: no burden, and yet a repair shows soon. */
const BACK_OFF = { firstMs: 60_000, capMs: 3_600_000 };

/** Does these chores. @returns how long until the next try of what failed, in ms; null when all is done. */
async function maintain(context: MaintenanceContext, chores: Chores): Promise<number | null> {
  return logChores(context, await doChores(context.db, chores));
}

/** Logs what failed, and the alarms. @returns the same. */
function logChores(context: Omit<MaintenanceContext, "db">, done: ChoresDone): number | null {
  const { failed, bugs, failures, alarms } = done;
  context.alarms.notifyAll(alarms);
  if (failed.length === 0) return null;
  context.log.warn({ failed, failures }, "maintenance failed; it will be tried again");
  for (const bug of bugs) context.log.error(bug, "a chore met a bug");
  return backOffMs(failures, BACK_OFF);
}

/**
 * Makes the log's partitions that are due, if that can be done now: until it is, the default partition takes
 * the callbacks, so nothing waits for it.
 */
export async function keepPartitions({ db, log }: Pick<JobContext, "db" | "log">): Promise<null> {
  const made = await makePartitions(db, new Date(), { brief: true });
  if (made.length > 0) log.info({ partitions: made }, "made partitions of the callback log");
  return null;
}
