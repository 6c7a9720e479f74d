import { setTimeout as delay } from "node:timers/promises";
import type { Alarm, Alarms } from "../../platform/alarms/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { faultOf, isDatabaseAway, messageOf } from "../../platform/errors/index.ts";
import type { Logger } from "../../platform/log/index.ts";
import { failpoint } from "../../platform/process/index.ts";
import { type Lease, LeaseLost, whileHeld } from "../../platform/worker/index.ts";
import type { Route } from "../publish/index.ts";
import type { LeasedReplay, Replay, ReplayKind, ReplaySteps } from "./replay.ts";
import {
  claimReplay,
  endReplay,
  extendReplay,
  failReplay,
  findReplay,
  releaseReplay,
  replayLeases,
  saveWaiting,
} from "./replay-rows.ts";
import { callbacksSteps, confirmationsSteps, eventsSteps } from "./replay-steps.ts";

interface ReplayJobOptions {
  db: Database;
  routes: readonly Route[];
  /** The names of the sources in the settings. */
  sources: readonly string[];
  onConfirmations: () => void | Promise<void>;
  onEvents: () => void | Promise<void>;
  lease: Lease;
  alarms: Alarms;
  log: Logger;
}

const STEPS: Record<ReplayKind, (options: ReplayJobOptions) => ReplaySteps> = {
  confirmations: confirmationsSteps,
  callbacks: callbacksSteps,
  events: eventsSteps,
};

/**
 * Runs the replays that no process works on until all are done: queued replays, and those whose process died.
 * The kinds run side by side, and each kind's replays one after the other, the oldest first.
 */
export async function runReplayJob(options: ReplayJobOptions, stop: AbortSignal): Promise<null> {
  const kinds = Object.keys(STEPS) as ReplayKind[];
  await Promise.all(kinds.map((kind) => runAll(kind, options, stop)));
  return null;
}

async function runAll(kind: ReplayKind, options: ReplayJobOptions, stop: AbortSignal): Promise<void> {
  const { db, lease } = options;
  while (!stop.aborted) {
    const held = await claimReplay(db, kind, lease);
    if (held === null) return;
    failpoint("replay claimed");
    const keep = () => replayLeases.keep(db, held, lease);
    try {
      await whileHeld({ lease, keep, stop }, (signal) => runReplay(held, options, signal));
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    }
  }
}

/** The most items in one step, which share a transaction. */
const STEP_LIMIT = 100;

/** At low rates a step processes what the rate allows in this time, in ms, so that work is spread evenly. */
const STEP_MS = 200;
const DATABASE_WAIT_MS = 1_000;

/**
 * Runs a replay whose lease this process holds, step by step at its rate, until it ends, fails, is cancelled,
 * or this process is asked to stop. Every step saves its progress, from which the next holder of the lease
 * continues. While the database is away it waits.
 */
async function runReplay(held: LeasedReplay, options: ReplayJobOptions, stop: AbortSignal): Promise<void> {
  const { db, lease, alarms, log } = options;
  const { id, kind, rate } = held;
  const steps = STEPS[kind](options);
  const most = Math.min(STEP_LIMIT, Math.max(1, Math.ceil((rate * STEP_MS) / 1_000)));
  const end = ({ state, handled, matching, refused }: Replay) =>
    log.info({ replay: id, kind, state, handled, matching, refused }, "replay ended");
  const fail = async (why: string) => {
    const alarm: Alarm = {
      ...{ name: "replay_failed", source: "", subject: id },
      detail: `A replay of ${kind} failed: ${why}.`,
    };
    end(await failReplay(db, replay, why, alarm));
    alarms.notify([alarm]);
  };
  let replay = held;
  let isStale = false;
  while (!stop.aborted) {
    const startedAt = performance.now();
    let waitMs = DATABASE_WAIT_MS;
    try {
      // After a fault of the database the step may or may not have been committed: the row says which.
      if (isStale) replay = await extendReplay(db, replay, lease);
      isStale = false;
      const outcome = await steps.next(replay, most);
      switch (outcome.kind) {
        case "went":
          replay = outcome.replay;
          waitMs = (outcome.taken / rate) * 1_000;
          break;
        case "waits":
          replay = outcome.replay ?? replay;
          if (replay.waitsFor !== outcome.why) replay = await saveWaiting(db, replay, outcome.why);
          waitMs = outcome.ms;
          break;
        case "ends":
          failpoint("replay to be ended");
          end(await endReplay(db, replay, "done"));
          failpoint("replay ended");
          return;
        case "fails":
          return await fail(outcome.why);
      }
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      if (!isDatabaseAway(error)) {
        log.error({ replay: id, kind, ...faultOf(error) }, "a step of a replay failed");
        return await fail(messageOf(error));
      }
      isStale = true;
    }
    await pause(waitMs - (performance.now() - startedAt), stop);
  }
  // If this fails, the lease expires.
  await releaseReplay(db, replay).catch((error: unknown) => {
    if (!isDatabaseAway(error)) throw error;
  });
}

const LOOK_AGAIN_MS = 500;

/** Watches a replay that the relay runs, until it has ended or `stop` aborts. */
export async function followReplay(db: Database, started: Replay, stop: AbortSignal): Promise<Replay> {
  let replay = started;
  while (replay.state === "running" && !stop.aborted) {
    await pause(LOOK_AGAIN_MS, stop);
    replay = (await findReplay({ db, id: started.id })) ?? replay;
  }
  return replay;
}

async function pause(ms: number, stop: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal: stop }).catch(() => undefined);
}
