import { type RawBuilder, sql } from "kysely";
import { closeAlarmsOfRemoved, noteLateProofs, noteWaiting } from "../operations/index.ts";
import {
  confirmationLeases,
  confirmationsAreDue,
  someErasedAreUnchecked,
} from "../pipeline/confirm/index.ts";
import {
  eventsAreDue,
  outboxLeases,
  type TestRoutes,
  testEventsAreToMove,
} from "../pipeline/publish/index.ts";
import {
  forgetListWork,
  listWorkNeedsReaping,
  reapListWork,
  runCertifyJob,
  runSweepJob,
  sourcesToCertify,
  sourcesToSweep,
} from "../pipeline/reconcile/index.ts";
import { replaysWait, runReplayJob } from "../pipeline/replay/index.ts";
import { alarmsAreQuiet, alarmsAreToNotify } from "../platform/alarms/index.ts";
import type { Slots } from "../platform/database/index.ts";
import { faultOf } from "../platform/errors/index.ts";
import { failpoint } from "../platform/process/index.ts";
import { keysAreToProbe } from "../platform/upstreams/index.ts";
import { DAY_MS } from "../platform/values/index.ts";
import { noteFailingWork, type Work } from "../platform/worker/index.ts";
import { alarmWebhook, notifyPeople } from "./alarm-webhook.ts";
import type { JobContext, Run } from "./job.ts";
import { doSmallChores, dropWhatIsOld, makePartitionsDue } from "./maintenance.ts";
import { createConfirmPump, createPublishPump } from "./pumps.ts";
import { providerOf, reconcileSource, routesOf, servedBy } from "./sources.ts";

/** The Lambda functions that run jobs. */
export type JobFunction = "confirm" | "publish" | "reconcile" | "certify" | "replay" | "retention";

/** The poll's parameters, as SQL. */
interface Polled {
  slots: Slots<TestRoutes>;
  /** Names, an array. */
  sources: RawBuilder<unknown>;
  routes: RawBuilder<unknown>;
  lists: RawBuilder<unknown>;
}

interface JobShape<Made> {
  /** The Lambda functions that run it; each function runs its jobs in the order of this list. */
  on: readonly JobFunction[];
  /** How often it runs though nothing makes it, in ms. */
  everyMs: number;
  /** A wake-up that makes it run at once. */
  wake?: Work;
  /** In Lambda too it runs each `everyMs` only, however often its function runs. */
  isPaced?: true;
  make: (made: Made) => Run;
}

export interface Job extends JobShape<Process> {
  /** A condition, polled once a second; it is that of the statement that does the work. */
  isDue?: (polled: Polled) => RawBuilder<unknown>;
}

export interface SourceJob extends JobShape<ListOptions> {
  /** A query of the sources that have some, polled once a second. */
  sourcesDue: (polled: Polled) => RawBuilder<unknown>;
}

const MINUTE_MS = 60_000;
/** Of a job that the poll makes run: nothing is waited for so long. */
const SELDOM_MS = 30 * MINUTE_MS;

/**
 * The jobs that a relay does by itself, with those below: `serve` and Lambda run these, and the poll finds which
 * are due.
 */
export const JOBS = {
  /** Frees work whose lease ran out. */
  rescue: {
    ...{ on: ["confirm", "publish"], everyMs: SELDOM_MS },
    isDue: () =>
      sql`${confirmationLeases.someExpired} or ${outboxLeases.someExpired} or ${listWorkNeedsReaping}`,
    make:
      ({ db, wakes }) =>
      async () => {
        if ((await confirmationLeases.releaseExpired(db)) > 0) {
          failpoint("confirmations reaped");
          wakes?.confirm.raise();
        }
        if ((await outboxLeases.releaseExpired(db)) > 0) {
          failpoint("events reaped");
          wakes?.publish.raise();
        }
        await reapListWork(db);
        return null;
      },
  },
  /** The small chores: Test events put on hold or released, quiet alarms, late erasures, settled statuses. */
  chores: {
    ...{ on: ["confirm"], everyMs: MINUTE_MS },
    isDue: ({ slots }) =>
      sql`${testEventsAreToMove(slots)} or ${someErasedAreUnchecked} or ${alarmsAreQuiet}`,
    make: (process) => () => doSmallChores(process),
  },
  confirm: {
    ...{ on: ["confirm"], everyMs: SELDOM_MS, wake: "confirm" },
    isDue: ({ sources }) => sql`${confirmationsAreDue(sources)} or ${keysAreToProbe(sources)}`,
    make:
      ({ confirmer }) =>
      (stop) =>
        confirmer.drain(stop),
  },
  publish: {
    ...{ on: ["publish"], everyMs: SELDOM_MS, wake: "publish" },
    isDue: ({ routes }) => eventsAreDue(routes),
    make:
      ({ publisher }) =>
      (stop) =>
        publisher.pump.drain(stop),
  },
  /** Notifies people of alarms. */
  tell: {
    ...{ on: ["confirm"], everyMs: SELDOM_MS },
    isDue: () => alarmsAreToNotify,
    make: (process) => notifyPeople(process, alarmWebhook(process.settings, process.metrics)),
  },
  replay: {
    ...{ on: ["replay"], everyMs: SELDOM_MS },
    isDue: () => replaysWait,
    make: (process) => (stop) =>
      runReplayJob(
        {
          ...process,
          routes: routesOf(process.sources),
          sources: process.sources.map(({ name }) => name),
        },
        stop,
      ),
  },
  /** Raises and closes the alarms of what is not done; deletes old runs over lists, closes alarms of removed sources. */
  tidy: {
    ...{ on: ["reconcile"], everyMs: MINUTE_MS, isPaced: true },
    make:
      ({ db, alarms, sources, settings }) =>
      async () => {
        // First, since the rest may fail.
        await noteFailingWork(db, alarms);
        await noteWaiting(db, alarms);
        await noteLateProofs(db, alarms, settings.RECONCILE_INTERVAL);
        await forgetListWork(db);
        alarms.notifyCleared(await closeAlarmsOfRemoved(db, servedBy(sources)));
        return null;
      },
  },
  /** Makes the log's partitions that are due. */
  partitions: {
    ...{ on: ["retention"], everyMs: DAY_MS },
    make: (process) => () => makePartitionsDue(process),
  },
  /** Drops what has been kept for long enough. */
  retention: {
    ...{ on: ["retention"], everyMs: DAY_MS },
    make: (process) => (stop) => dropWhatIsOld(process, stop),
  },
} as const satisfies Record<string, Job>;

/** Jobs of which each source has its own: a source waits for no other source's list (nothing stands still, G11). */
export const SOURCE_JOBS = {
  sweep: {
    ...{ on: ["reconcile"], everyMs: SELDOM_MS },
    sourcesDue: ({ lists }) => sourcesToSweep(lists),
    make: (options) => (stop) => runSweepJob(options, stop),
  },
  certify: {
    ...{ on: ["certify"], everyMs: SELDOM_MS },
    sourcesDue: ({ sources }) => sourcesToCertify(sources),
    make: (options) => (stop) => runCertifyJob(options, stop),
  },
} as const satisfies Record<string, SourceJob>;

export type JobName = keyof typeof JOBS | keyof typeof SOURCE_JOBS;

/** A job of this process, with what it needs. */
export interface BoundJob extends Pick<JobShape<never>, "on" | "everyMs" | "wake" | "isPaced"> {
  name: JobName;
  /** Whose list it reads. */
  source?: string;
  run: Run;
}

type Process = ReturnType<typeof processOf>;
type ListOptions = ReturnType<typeof listOptionsOf>[number];

function processOf(context: JobContext) {
  const providers = context.sources.map((source) => ({
    source,
    provider: providerOf(source, context.settings),
  }));
  const publisher = createPublishPump(context);
  // Without wake-ups work cannot be dispatched: in Lambda each job is a function of its own.
  const worksBeside = (context.wakes ?? null) !== null;
  const confirmer = createConfirmPump(context, providers, worksBeside ? publisher.pump : null);
  return { ...context, providers, publisher, confirmer, worksBeside };
}

const listOptionsOf = ({ providers, ...context }: Process) =>
  providers
    .filter(({ source }) => source.collectionIds.length > 0)
    .map(({ source, provider }) => ({
      ...context,
      source: reconcileSource(source, provider, context.settings),
      intervalMs: context.settings.RECONCILE_INTERVAL,
    }));

/** The entries of a table of jobs. */
const named = <Table extends object>(table: Table): [keyof Table, Table[keyof Table]][] =>
  Object.entries(table) as [keyof Table, Table[keyof Table]][];

/** The jobs of one process. */
export function createJobs(context: JobContext) {
  const process = processOf(context);
  const lists = listOptionsOf(process);
  const jobs: BoundJob[] = [
    ...named(JOBS).map(([name, job]: [JobName, Job]) => ({ ...job, name, run: job.make(process) })),
    ...named(SOURCE_JOBS).flatMap(([name, job]: [JobName, SourceJob]) =>
      lists.map((options) => ({ ...job, name, source: options.source.name, run: job.make(options) })),
    ),
  ];
  const { confirmer, publisher, providers, worksBeside } = process;
  return {
    jobs,
    /** Where new confirmations of this process may go without a claim; under a rate limit each must be counted. */
    handoff: worksBeside && context.settings.CONFIRM_RATE_PER_SECOND === undefined ? confirmer : null,
    async close() {
      // Work that was dispatched at the very end is finished or released.
      for (const pump of [confirmer, publisher.pump])
        await pump.drain(AbortSignal.abort()).catch((error: unknown) => {
          context.log.warn(
            faultOf(error),
            "some work was cut off; it is taken up when its lease has run out",
          );
        });
      publisher.close();
      await Promise.all(providers.map(({ provider }) => provider.close()));
    },
  };
}

export type Jobs = ReturnType<typeof createJobs>;
