import { setTimeout as delay } from "node:timers/promises";
import type { Alarm } from "../../platform/alarms/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { isDatabaseAway, messageOf, noteWork } from "../../platform/errors/index.ts";
import { backOffMs, failpoint } from "../../platform/process/index.ts";
import { type Lease, LeaseLost, whileHeld } from "../../platform/worker/index.ts";
import type { LeasedReplay, Replay, ReplaySteps, StepOutcome } from "./replay.ts";
import {
  endReplay,
  extendReplay,
  failReplay,
  findReplay,
  releaseReplay,
  replayLeases,
  saveWaiting,
  yieldReplay,
} from "./replay-rows.ts";

export interface Watching {
  /** Ends the run after the current step; the replay can be resumed later. */
  stop: AbortSignal;
  /** Once a replay has waited for so long, in ms, others of its kind go first; for ever when left out. */
  waitsAtMostMs?: number;
  onProgress?: (replay: Replay) => void;
  /** Called with what failed a replay, for the log. */
  onFault?: (error: unknown) => void;
}

interface RunOptions extends Watching {
  db: Database;
  steps: ReplaySteps;
  lease: Lease;
  /** The alarm of a failed replay, raised when it fails; null while a person watches it. */
  alarmOf(failed: Replay, why: string): Alarm | null;
}

/** The most items in one step, which share a transaction. */
const STEP_LIMIT = 100;

/** At low rates a step processes what the rate allows in this time, in ms, so that work is spread evenly. */
const STEP_MS = 200;
const DATABASE_BACK_OFF = { firstMs: 200, capMs: 5_000 };

/**
 * Runs a replay whose lease this process holds, step by step at its rate, until it ends, fails, is cancelled,
 * gives up its turn, or this process is asked to stop. Every step saves its progress, from which the next
 * holder of the lease continues. While the database is away, or cannot just now, it waits.
 * @returns the replay in its state at the end.
 */
export async function runReplay(held: LeasedReplay, options: RunOptions): Promise<Replay> {
  const { db, lease, stop } = options;
  const run = new Run(held, options);
  try {
    const keep = () => replayLeases.keep(db, held, lease);
    await whileHeld({ lease, keep, stop }, (signal) => run.toItsEnd(signal));
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  }
  return (await whenAnswered(() => findReplay({ db, id: held.id }), stop)) ?? run.replay;
}

/** Retries until the database answers. @returns null if asked to stop first. */
export async function whenAnswered<Result>(
  read: () => Promise<Result>,
  stop: AbortSignal,
): Promise<Result | null> {
  for (let faults = 1; ; faults += 1) {
    try {
      return await read();
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      if (stop.aborted) return null;
      await pause(backOffMs(faults, DATABASE_BACK_OFF), stop);
    }
  }
}

class Run {
  replay: LeasedReplay;
  readonly #options: RunOptions;
  #databaseFaults = 0;
  #waitsSince: number | null = null;

  constructor(replay: LeasedReplay, options: RunOptions) {
    this.replay = replay;
    this.#options = options;
  }

  async toItsEnd(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const startedAt = performance.now();
      const waitMs = await this.#stepOnce();
      if (waitMs === "ended") return;
      await pause(waitMs - (performance.now() - startedAt), stop);
    }
    // If this fails, the lease expires.
    await releaseReplay(this.#options.db, this.replay).catch((error: unknown) => {
      if (!isDatabaseAway(error)) throw error;
    });
  }

  /** @returns the time from the start of this step to the next one, in ms. */
  async #stepOnce(): Promise<number | "ended"> {
    const { db, steps, lease } = this.#options;
    const { rate } = this.replay;
    const most = Math.min(STEP_LIMIT, Math.max(1, Math.ceil((rate * STEP_MS) / 1_000)));
    try {
      // After a fault of the database the step may or may not have been committed: the row says which.
      if (this.#databaseFaults > 0) this.replay = await extendReplay(db, this.replay, lease);
      const next = await this.#apply(await this.#failOnError(steps.next(this.replay, most)));
      this.#databaseFaults = 0;
      return next;
    } catch (error) {
      if (error instanceof LeaseLost || !isDatabaseAway(error)) throw error;
      return await this.#waitForDatabase(error);
    }
  }

  /** Waits for the database, and stores the wait where the database takes that. */
  async #waitForDatabase(fault: unknown): Promise<number | "ended"> {
    this.#databaseFaults += 1;
    const ms = backOffMs(this.#databaseFaults, DATABASE_BACK_OFF);
    const why = `the database cannot go on with it just now: ${messageOf(fault)}`;
    try {
      return await this.#apply({ kind: "waits", why, ms });
    } catch (error) {
      if (error instanceof LeaseLost || !isDatabaseAway(error)) throw error;
      return ms;
    }
  }

  /** Any error of a step fails the replay, unless the database is away. */
  async #failOnError(step: Promise<StepOutcome>): Promise<StepOutcome> {
    try {
      return await step;
    } catch (error) {
      if (error instanceof LeaseLost || isDatabaseAway(error)) throw error;
      this.#options.onFault?.(noteWork(error, { replay: this.replay.id }));
      return { kind: "fails", why: messageOf(error) };
    }
  }

  async #apply(outcome: StepOutcome): Promise<number | "ended"> {
    const { db, alarmOf, waitsAtMostMs = Number.POSITIVE_INFINITY } = this.#options;
    switch (outcome.kind) {
      case "went":
        this.#waitsSince = null;
        this.#advance(outcome.replay);
        return (outcome.taken / this.replay.rate) * 1_000;
      case "waits":
        if (outcome.replay !== undefined) this.replay = outcome.replay;
        if (this.replay.waitsFor !== outcome.why)
          this.#advance(await saveWaiting(db, this.replay, outcome.why));
        this.#waitsSince ??= performance.now();
        if (performance.now() - this.#waitsSince < waitsAtMostMs) return outcome.ms;
        await yieldReplay(db, this.replay);
        return "ended";
      case "ends":
        failpoint("replay to be ended");
        await endReplay(db, this.replay, "done");
        failpoint("replay ended");
        return "ended";
      case "fails":
        await failReplay(db, this.replay, outcome.why, alarmOf(this.replay, outcome.why));
        return "ended";
    }
  }

  #advance(replay: LeasedReplay): void {
    this.replay = replay;
    this.#options.onProgress?.(replay);
  }
}

async function pause(ms: number, stop: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal: stop }).catch(() => undefined);
}
