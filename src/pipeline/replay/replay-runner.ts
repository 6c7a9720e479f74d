import { setTimeout as delay } from "node:timers/promises";
import type { Alarm, Alarms } from "../../platform/alarms/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { faultOf } from "../../platform/errors/index.ts";
import type { Logger } from "../../platform/log/index.ts";
import { failpoint } from "../../platform/process/index.ts";
import type { Lease } from "../../platform/worker/index.ts";
import type { Route } from "../publish/index.ts";
import type { Replay, ReplayKind, ReplaySteps } from "./replay.ts";
import { claimReplay, findReplay, type ReplayChoice } from "./replay-rows.ts";
import { callbacksSteps, confirmationsSteps, eventsSteps } from "./replay-steps.ts";
import { runReplay, type Watching, whenAnswered } from "./run-replay.ts";

interface ReplayRunnerOptions {
  db: Database;
  routes: readonly Route[];
  /** The names of the sources in the settings; null when these describe no source. */
  sources: readonly string[] | null;
  onConfirmations: () => void | Promise<void>;
  onEvents: () => void | Promise<void>;
  lease: Lease;
  /** Receives the alarm of a failed replay; null while a person watches it. */
  alarms: Alarms | null;
}

export class ReplayRunner {
  readonly #options: ReplayRunnerOptions;

  constructor(options: ReplayRunnerOptions) {
    this.#options = options;
  }

  /**
   * Claims and runs a replay, or any of a kind that no process works on.
   * @returns null when no replay can be claimed now.
   */
  async takeUp(which: ReplayChoice, watching: Watching): Promise<Replay | null> {
    const { db, lease, alarms } = this.#options;
    const held = await whenAnswered(() => claimReplay(db, which, lease), watching.stop);
    if (held === null) return null;
    failpoint("replay claimed");
    const steps = STEPS[held.kind](this.#options);
    const alarmOf = (failed: Replay, why: string) => (alarms === null ? null : failure(failed, why));
    const replay = await runReplay(held, { db, steps, lease, alarmOf, ...watching });
    if (replay.state === "failed") alarms?.notify([failure(replay, replay.lastError ?? "")]);
    return replay;
  }
}

const STEPS: Record<ReplayKind, (options: ReplayRunnerOptions) => ReplaySteps> = {
  confirmations: confirmationsSteps,
  callbacks: callbacksSteps,
  events: eventsSteps,
};

const failure = ({ id, kind }: Replay, why: string): Alarm => ({
  name: "replay_failed",
  source: "",
  subject: id,
  detail: `A replay of ${kind} failed: ${why}.`,
});

const KINDS = ["confirmations", "callbacks", "events"] as const satisfies readonly ReplayKind[];

/** A replay that waits, for a refused source or topic perhaps, lets others go first after this long. */
const WAITS_AT_MOST_MS = 10_000;

interface ReplayJobOptions {
  runner: ReplayRunner;
  log: Logger;
  /** In ms; some seconds when left out. */
  waitsAtMostMs?: number;
}

/**
 * Runs the replays that no process works on until all are done: queued replays, and those whose process died.
 * The kinds run side by side, and each kind's replays one at a time, in turns, so that no replay waits for
 * one that cannot go on (nothing stands still, G11).
 */
export async function runReplayJob(options: ReplayJobOptions, stop: AbortSignal): Promise<null> {
  await Promise.all(KINDS.map((kind) => runAll(kind, options, stop)));
  return null;
}

async function runAll(
  kind: ReplayKind,
  { runner, log, waitsAtMostMs = WAITS_AT_MOST_MS }: ReplayJobOptions,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const onFault = (error: unknown) => {
      const fault = faultOf(error);
      if (fault.stack !== undefined) log.error({ kind, ...fault }, "a replay met a bug");
    };
    const replay = await runner.takeUp({ anyOf: kind }, { stop, waitsAtMostMs, onFault });
    if (replay === null) return;
    const { id, state, handled, matching, refused } = replay;
    if (state !== "running" || stop.aborted)
      log.info({ replay: id, kind, state, handled, matching, refused }, "replay ended or stopped");
  }
}

interface FollowOptions extends Required<Pick<Watching, "stop" | "onProgress">> {
  db: Database;
  /** Runs it here as soon as it can be claimed; null to leave it to the relay's own processes. */
  runner: ReplayRunner | null;
}

const LOOK_AGAIN_MS = 500;

/**
 * Runs the replay here, or watches while another process runs it or another replay of its kind goes first,
 * until it has ended or `stop` aborts.
 */
export async function followReplay(started: Replay, options: FollowOptions): Promise<Replay> {
  const { db, runner, stop, onProgress } = options;
  let replay = started;
  while (replay.state === "running" && !stop.aborted) {
    const ran = (await runner?.takeUp(replay.id, { stop, onProgress })) ?? null;
    replay = ran ?? (await whenAnswered(() => findReplay({ db, id: started.id }), stop)) ?? replay;
    if (replay.state !== "running") break;
    const isBehind = runner !== null && ran === null && !replay.underWay;
    onProgress(isBehind ? { ...replay, waitsFor: `another replay of ${replay.kind} goes first` } : replay);
    await delay(LOOK_AGAIN_MS, undefined, { signal: stop }).catch(() => undefined);
  }
  return replay;
}
