import { setTimeout as delay } from "node:timers/promises";
import type { Kysely } from "kysely";
import { isLostConnection } from "../database/postgres-errors.ts";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import { backOffMs } from "../workers/back-off.ts";
import type { HeldReplay, Replay } from "./replay.ts";
import type { Step } from "./replay-step.ts";
import {
  endReplay,
  extendReplay,
  findReplay,
  LeaseLost,
  releaseReplay,
  saveWaiting,
} from "./replay-store.ts";

export interface RunOptions {
  db: Kysely<Tables>;
  step: Step;
  leaseMs: number;
  /** Ends the run after the step under way; the replay can go on later. */
  stop: AbortSignal;
  onProgress?: (replay: Replay) => void;
}

/** The most that one step takes. SNS' batches hold ten; questions and callbacks go into one transaction. */
const MOST_AT_ONCE = { confirmations: 100, callbacks: 200, events: 10 } as const;

/** At low rates a step takes what is due in this time, in ms, so that the rate is kept smoothly. */
const STEP_MS = 200;
const DATABASE_BACK_OFF = { firstMs: 200, capMs: 5_000 };

/**
 * Runs a replay whose lease this process holds, step by step at its rate, until it ends, fails, is cancelled, or
 * this process is asked to stop. Every step saves its progress, so whoever takes the lease next goes on there.
 * @returns the replay as it stands then.
 */
export async function runReplay(held: HeldReplay, options: RunOptions): Promise<Replay> {
  const { db, leaseMs } = options;
  const lost = new AbortController();
  const extending = setInterval(() => {
    extendReplay(db, held, leaseMs).catch((error: unknown) => {
      if (error instanceof LeaseLost) lost.abort();
    });
  }, leaseMs / 3);
  try {
    await new Run(held, { ...options, stop: AbortSignal.any([options.stop, lost.signal]) }).toItsEnd();
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  } finally {
    clearInterval(extending);
  }
  return (await findReplay({ db, id: held.id })) ?? held;
}

class Run {
  #replay: HeldReplay;
  readonly #options: RunOptions;
  #databaseFaults = 0;

  constructor(replay: HeldReplay, options: RunOptions) {
    this.#replay = replay;
    this.#options = options;
  }

  async toItsEnd(): Promise<void> {
    const { db, stop } = this.#options;
    while (!stop.aborted) {
      const startedAt = performance.now();
      const waitMs = await this.#stepOnce();
      if (waitMs === "ended") return;
      await this.#wait(waitMs - (performance.now() - startedAt));
    }
    await releaseReplay(db, this.#replay);
  }

  /** @returns how long until the next step, from this one's start, in ms. */
  async #stepOnce(): Promise<number | "ended"> {
    const { db, step } = this.#options;
    const { rate, kind } = this.#replay;
    const most = Math.min(MOST_AT_ONCE[kind], Math.max(1, Math.ceil((rate * STEP_MS) / 1_000)));
    try {
      const outcome = await step(this.#replay, most);
      this.#databaseFaults = 0;
      switch (outcome.kind) {
        case "went":
          this.#moved(outcome.replay);
          return (outcome.taken / rate) * 1_000;
        case "waits":
          if (outcome.replay !== undefined) this.#replay = outcome.replay;
          if (this.#replay.waitsFor !== outcome.why)
            this.#moved(await saveWaiting(db, this.#replay, outcome.why));
          return outcome.ms;
        case "ends":
          await endReplay(db, this.#replay, "done");
          return "ended";
        case "fails":
          await endReplay(db, this.#replay, "failed", outcome.why);
          return "ended";
      }
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      if (!isLostConnection(error)) {
        await endReplay(db, this.#replay, "failed", messageOf(error));
        return "ended";
      }
      this.#databaseFaults += 1;
      return backOffMs(this.#databaseFaults, DATABASE_BACK_OFF);
    }
  }

  #moved(replay: HeldReplay): void {
    this.#replay = replay;
    this.#options.onProgress?.(replay);
  }

  async #wait(ms: number): Promise<void> {
    if (ms > 0) await delay(ms, undefined, { signal: this.#options.stop }).catch(() => undefined);
  }
}
