import type { FileHandle } from "node:fs/promises";
import type { Kysely } from "kysely";
import type { Alarm, Alarms } from "../alarms/alarms.ts";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import { step } from "../kit/step.ts";
import type { Tracer } from "../kit/trace.ts";
import type { Route } from "../publish/event.ts";
import type { SnsDestination } from "../publish/sns-destination.ts";
import type { Lease } from "../work/lease.ts";
import { CallbacksSteps } from "./callbacks-steps.ts";
import { ConfirmationsSteps } from "./confirmations-steps.ts";
import { EventFileSteps, openEventFile } from "./event-file.ts";
import { EventsSteps } from "./events-steps.ts";
import { claimReplay, endReplay, type Wanted } from "./held-replay.ts";
import type { ReadAgain } from "./read-again.ts";
import type { HeldReplay, Replay } from "./replay.ts";
import type { ReplaySteps } from "./replay-steps.ts";
import { runReplay, whenAnswered } from "./run-replay.ts";

export interface ReplayRunnerOptions {
  db: Kysely<Tables>;
  routes: readonly Route[];
  /** The names of those that the settings describe; null where they describe none. */
  sources: readonly string[] | null;
  readAgain: ReadAgain;
  /** Opens the destination of one replay of events, with a connection of its own. */
  createDestination: () => SnsDestination;
  /** Wakes the confirming workers. */
  onConfirmations: () => void | Promise<void>;
  lease: Lease;
  /** Receives the alarm of a failed replay; null while a person watches it. */
  alarms: Alarms | null;
  tracer?: Tracer | null;
}

export interface Watching {
  /** Ends the run after the current step; the replay can be resumed later. */
  stop: AbortSignal;
  /** Once a replay has waited for so long, in ms, others of its kind go first; for ever when left out. */
  waitsAtMostMs?: number;
  onProgress?: (replay: Replay) => void;
  /** Told what failed a replay, for the log. */
  onFault?: (error: unknown) => void;
}

export class ReplayRunner {
  readonly #options: ReplayRunnerOptions;

  constructor(options: ReplayRunnerOptions) {
    this.#options = options;
  }

  /**
   * Claims and runs a replay, or any of a kind that no process works on and that needs no file.
   * @returns null when none can be claimed now.
   */
  async takeUp(which: Wanted, watching: Watching): Promise<Replay | null> {
    const { db, lease } = this.#options;
    const held = await whenAnswered(() => claimReplay(db, which, lease), watching.stop);
    if (held === null) return null;
    step("replay claimed");
    const { target } = held;
    if (held.kind === "confirmations")
      return await this.#run(held, new ConfirmationsSteps(this.#options), watching);
    if (held.kind === "callbacks") return await this.#run(held, new CallbacksSteps(this.#options), watching);
    if (target.kind === "file") return await this.#runToFile(held, target.path, watching);
    const destination = this.#options.createDestination();
    try {
      return await this.#run(held, new EventsSteps({ ...this.#options, destination }), watching);
    } finally {
      destination.close();
    }
  }

  async #runToFile(held: HeldReplay, path: string, watching: Watching): Promise<Replay> {
    const { db } = this.#options;
    let file: FileHandle;
    try {
      file = await openEventFile(path);
    } catch (error) {
      return await endReplay(db, held, "failed", messageOf(error));
    }
    try {
      return await this.#run(held, new EventFileSteps({ db, file }), watching);
    } finally {
      await file.close();
    }
  }

  async #run(held: HeldReplay, steps: ReplaySteps, watching: Watching): Promise<Replay> {
    const { db, lease, alarms } = this.#options;
    const alarmOf = (failed: Replay, why: string) => (alarms === null ? null : failure(failed, why));
    const replay = await runReplay(held, { db, steps, lease, alarmOf, ...watching });
    if (replay.state === "failed") alarms?.tell([failure(replay, replay.lastError ?? "")]);
    return replay;
  }
}

const failure = ({ id, kind }: Replay, why: string): Alarm => ({
  name: "replay_failed",
  source: "",
  subject: id,
  detail: `A replay of ${kind} failed: ${why}. Resume it with: invoice-relay replay resume ${id}`,
});
