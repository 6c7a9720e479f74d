import { setTimeout as sleep } from "node:timers/promises";
import { relayMigrations } from "../../../migrations/relay.ts";
import { readBacklogAges } from "../../operations/index.ts";
import { type Database, requireSchema } from "../../platform/database/index.ts";
import { isDatabaseAway } from "../../platform/errors/index.ts";
import { createLogger } from "../../platform/log/index.ts";
import { noteSilence, RelayProcess } from "../../platform/worker/index.ts";
import type { DatabaseWatch } from "../database-watch.ts";
import type { Run } from "../job.ts";
import { type BoundJob, createJobs, type JobFunction } from "../jobs.ts";
import { register } from "../sources.ts";
import { type Container, logFaults, openContainer, perContainer } from "./container.ts";

// The functions that run the jobs of `serve`, each its lines of them. The bundle is the same for all.

/** Confirms due invoices. Woken after callbacks, and every minute for retries and lost wake-ups. */
export const confirm = jobHandler("confirm", { lingerMs: 3_000, isWorker: true });

/** Sends what is due. Woken after confirmations, and every minute for retries and lost wake-ups. */
export const publish = jobHandler("publish", { lingerMs: 3_000, isWorker: true });

/** Reads the provider's lists for missed payments. */
export const reconcile = jobHandler("reconcile");

/** The daily certificate (G10). It alone has the signing key. */
export const certify = jobHandler("certify");

/** Runs replays that were started and that no process works on (G9). */
export const replay = jobHandler("replay");

/** Creates the log's next partitions, and drops what is older than RETENTION. */
export const retention = jobHandler("retention");

/** How long before Lambda's timeout work is finished or released, in ms. */
const STOP_BEFORE_MS = 10_000;

const CONNECTIONS = 2;

/** How long until an invocation that met no Postgres tries again, in ms. */
const AGAIN_MS = 1_000;

/** The least time between two lines about the backlog, in ms: CloudWatch keeps one point a minute. */
const BACKLOG_EVERY_MS = 30_000;

/**
 * A function that runs its jobs, in lines that do not wait for each other, on its schedule and for each wake-up
 * from its queue. The event's content does not matter, since the database knows what is due. When it fails,
 * Lambda retries.
 * @param options.lingerMs waits for work that is due within this time, in ms
 * @param options.isWorker logs the age of the oldest work first, and counts as a working process
 */
function jobHandler(name: JobFunction, { lingerMs = 0, isWorker = false } = {}) {
  const openOnce = perContainer(() => openContainer(CONNECTIONS, "work"));
  const openJobsOnce = perContainer(async () => openJobs(await openOnce(), name));
  return logFaults(async (_event: unknown, invocation): Promise<void> => {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), invocation.getRemainingTimeInMillis() - STOP_BEFORE_MS);
    const { parts, awaken, flush } = await openOnce();
    try {
      await whileDatabaseAway(parts.database, async () => {
        await awaken();
        const { lines, showWork } = await openJobsOnce();
        if (isWorker) await showWork();
        await drain(lines, lingerMs, stop.signal).finally(flush);
      });
    } finally {
      clearTimeout(timer);
    }
  });
}

/** Tries while Postgres is away until that is an alarm; then the invocation fails, which Lambda counts. */
async function whileDatabaseAway<Result>(
  database: DatabaseWatch,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      const result = await work();
      database.noteCommit();
      await database.checkIfTroubled();
      return result;
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      database.noteFailure(error);
      await database.checkIfTroubled();
      if (database.openAlarms.length > 0) throw error;
      await sleep(AGAIN_MS);
    }
  }
}

async function openJobs({ parts, lambda }: Container, name: JobFunction) {
  const { db, sources, serves, alarms } = parts;
  await requireSchema(db, "relay", relayMigrations);
  await register(db, sources);
  const presence = new RelayProcess(db, { http: false, workers: true, serves, lambda });
  const logBacklog = backlogLog(db);
  const showWork = async () => {
    if (await presence.heartbeat()) await noteSilence(db, alarms);
    await logBacklog();
  };
  return { lines: linesOf(createJobs(parts).jobs.filter(({ on }) => on.includes(name))), showWork };
}

/**
 * Logs the backlog, `{"backlog":{"confirmSeconds":…,"publishSeconds":…}}`, which a metric filter of the stack
 * turns into two metrics. Ignores LOG_LEVEL, because an alarm depends on it.
 */
function backlogLog(db: Database): () => Promise<void> {
  const log = createLogger({ level: "info" });
  let toldAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (Math.abs(Date.now() - toldAt) < BACKLOG_EVERY_MS) return;
    toldAt = Date.now();
    const { oldestConfirmationSeconds, oldestEventSeconds } = await readBacklogAges(db);
    const backlog = { confirmSeconds: oldestConfirmationSeconds, publishSeconds: oldestEventSeconds };
    log.info({ backlog }, "the oldest work that is due");
  };
}

/** The jobs of the whole process are one line, and those of each source another. */
function linesOf(jobs: readonly BoundJob[]): Run[][] {
  const shared = jobs.filter(({ source }) => source === undefined);
  const ofSources = jobs.filter(({ source }) => source !== undefined);
  return [shared, ...ofSources.map((job) => [job])]
    .map((line) => line.map((job) => (job.isPaced ? atItsPace(job) : job.run)))
    .filter((line) => line.length > 0);
}

/** Lines go round each second while another works; this job need not. */
function atItsPace({ run, everyMs }: BoundJob): Run {
  let dueAt = 0;
  return async (stop) => {
    if (performance.now() < dueAt) return null;
    dueAt = performance.now() + ((await run(stop)) ?? everyMs);
    return null;
  };
}

/** A line that has nothing to do polls again after this long at the latest, in ms, while others work. */
const LOOKS_AGAIN_MS = 1_000;

/**
 * Runs lines of jobs side by side, the jobs of a line one after the other. A line goes on while one of its jobs
 * expects more work within `lingerMs`, which is faster than a new invocation, and polls again as long as any other
 * works: a slow line delays no other, although only one invocation runs at a time. The schedule picks up the rest,
 * also after `stop`.
 * @throws the error of a line's last try, once no line works any more.
 */
export async function drain(
  lines: readonly (readonly Run[])[],
  lingerMs: number,
  stop: AbortSignal,
): Promise<void> {
  const allDone = new AbortController();
  const ends = AbortSignal.any([stop, allDone.signal]);
  const failures = new Map<readonly Run[], unknown>();
  let working = lines.length;
  const run = async (line: readonly Run[]) => {
    while (!ends.aborted) {
      let soonest = Number.POSITIVE_INFINITY;
      try {
        for (const job of line) soonest = Math.min(soonest, (await job(stop)) ?? soonest);
        failures.delete(line);
      } catch (error) {
        failures.set(line, error);
        soonest = Number.POSITIVE_INFINITY;
      }
      const lingers = soonest <= lingerMs;
      if (!lingers) working -= 1;
      if (working === 0) allDone.abort();
      const waitMs = Math.min(soonest, lingers ? lingerMs : LOOKS_AGAIN_MS);
      await sleep(waitMs, undefined, { signal: ends }).catch(() => undefined);
      if (!lingers) working += 1;
    }
  };
  await Promise.all(lines.map(run));
  for (const error of failures.values()) throw error;
}
