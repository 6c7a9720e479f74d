import { type RawBuilder, sql } from "kysely";
import {
  applyRetention,
  type Chores,
  type ChoresDone,
  checkErased,
  doChores,
  settleStatuses,
} from "../operations/index.ts";
import { longestWaits } from "../pipeline/confirm/index.ts";
import { holdOrReleaseTestEvents } from "../pipeline/publish/index.ts";
import { makePartitions } from "../pipeline/receive/index.ts";
import { CERTIFICATE_BACK_OFF, SWEEP_BACK_OFF } from "../pipeline/reconcile/index.ts";
import { NOTIFYING_WAITS } from "../platform/alarms/index.ts";
import { type Database, interval, type Tables, VaryingStatement } from "../platform/database/index.ts";
import { backOffMs } from "../platform/process/index.ts";
import { listGapMs, RETRY_AFTER_LIMIT_MS, SOURCE, TOPIC } from "../platform/upstreams/index.ts";
import { DAY_MS } from "../platform/values/index.ts";
import type { JobContext } from "./job.ts";

const SECOND_MS = 1_000;

/** The most that a failing chore may keep the others waiting. */
const CHORES_WAIT_LIMIT_MS = 30_000;

/** The small chores: Test events held or let go, ended pauses, quiet alarms, late erasures, old budgets. */
export async function doSmallChores(context: JobContext): Promise<number | null> {
  const { db, settings, alarms, log } = context;
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
    async settled_statuses() {
      const { opened, more } = await settleStatuses(db, context.sources, settings);
      hasMore ||= more;
      if (opened === 0) return;
      log.info({ opened }, "PAID_STATUSES or INVALID_STATUSES name the status that invoices waited with");
      context.onConfirmations();
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
  const { failed, bugs, failures, told } = done;
  context.alarms.notifyAll(told);
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

interface Times {
  leaseMs: number;
  /** From one sweep of a collection to the next. */
  sweepMs: number;
}

/** A moment that work waits for, and the longest that anything waits for it, in ms or as an interval. */
interface Wait {
  table: keyof Tables;
  column: string;
  longest: number | RawBuilder<unknown>;
  /** Which rows wait, as their index has it; all when left out. */
  which?: RawBuilder<unknown>;
}

const IS_DUE = sql`state = 'due'`;
const IS_CLAIMED = sql`state = 'claimed'`;

const retry = sql`(array[${sql.join(longestWaits().map(interval))}])[attempt + 1]`;

/** All that work waits for. A lease may be another process', whose LEASE_DURATION differs by less than three times. */
export function waitsOf({ leaseMs, sweepMs }: Times): readonly Wait[] {
  const lease = 3 * leaseMs;
  const sweep = Math.max(sweepMs, SWEEP_BACK_OFF.capMs);
  return [
    { table: "confirmation", column: "due_at", longest: retry, which: IS_DUE },
    { table: "confirmation", column: "claimed_until", longest: lease, which: IS_CLAIMED },
    { table: "outbox", column: "due_at", longest: TOPIC.policy.backOff.capMs, which: IS_DUE },
    { table: "outbox", column: "claimed_until", longest: lease, which: IS_CLAIMED },
    { table: "sweep", column: "due_at", longest: sweep },
    { table: "sweep", column: "claimed_until", longest: lease },
    // The next sweep goes on from where the last one ended.
    { table: "sweep", column: "started_at", longest: 0 },
    { table: "sweep", column: "window_to", longest: 0 },
    { table: "certificate", column: "due_at", longest: CERTIFICATE_BACK_OFF.capMs },
    { table: "certificate", column: "claimed_until", longest: lease },
    { table: "replay", column: "claimed_until", longest: lease },
    { table: "source", column: "opens_at", longest: RETRY_AFTER_LIMIT_MS },
    { table: "source", column: "retry_at", longest: RETRY_AFTER_LIMIT_MS },
    { table: "source", column: "probe_at", longest: SOURCE.policy.probe.capMs },
    { table: "source", column: "list_at", longest: listGapMs(1) },
    { table: "source", column: "allowance_at", longest: 0 },
    { table: "source", column: "next_unknown_at", longest: 1_000 },
    { table: "source", column: "not_found_at", longest: 0 },
    { table: "source", column: "first_served_at", longest: 0 },
    { table: "topic", column: "opens_at", longest: RETRY_AFTER_LIMIT_MS },
    { table: "topic", column: "retry_at", longest: RETRY_AFTER_LIMIT_MS },
    { table: "topic", column: "probe_at", longest: TOPIC.policy.probe.capMs },
    { table: "alarm_telling", column: "next_at", longest: Math.max(lease, NOTIFYING_WAITS.afterFailureMs) },
    { table: "relay_process", column: "seen_at", longest: 0 },
  ];
}

/** Rows are written a little later than the moment that they are reckoned from, and coalesced callbacks wait for 2 s. */
const TOLERANCE = interval(10_000);

/** So many rows at once are written well within a statement's time. */
const AT_ONCE = 10_000;

const bringOneForward = new VaryingStatement(
  {},
  ({ table, column, longest, which = sql`true` }: Wait) => sql`
    update ${sql.table(table)} set ${sql.ref(column)} = clock_timestamp()
    where ctid = any(array(
      select ctid from ${sql.table(table)}
      where ${which} and ${sql.ref(column)} > now()
        + ${typeof longest === "number" ? interval(longest) : longest} + ${TOLERANCE}
      limit ${AT_ONCE} for update skip locked))`,
  waitsOf({ leaseMs: 1, sweepMs: 1 }) as [Wait, ...Wait[]],
);

/**
 * Brings forward to now any moment that is later than the longest wait: Postgres' clock was set back since it was
 * written. Run each hour, it limits the delay from such a step to about an hour. A locked row is being written at
 * this moment.
 * @returns how many moments were moved.
 */
export async function bringForward(db: Database, times: Times): Promise<number> {
  let moved = 0;
  for (const wait of waitsOf(times))
    for (let rows = AT_ONCE; rows === AT_ONCE; moved += rows) rows = await bringOneForward.write(db, wait);
  return moved;
}
