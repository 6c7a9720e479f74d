import { setTimeout as delay } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Replay } from "./replay.ts";
import { findReplay } from "./replay-rows.ts";
import type { ReplayRunner } from "./replay-runner.ts";
import { whenAnswered } from "./run-replay.ts";

export interface FollowOptions {
  db: Kysely<Tables>;
  /** Runs it here as soon as it can be claimed; null to leave it to the relay's own processes. */
  runner: ReplayRunner | null;
  /** Ends the following, and the run here after the current step; the replay can be resumed later. */
  stop: AbortSignal;
  onProgress: (replay: Replay) => void;
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
    onProgress(replay);
    await delay(LOOK_AGAIN_MS, undefined, { signal: stop }).catch(() => undefined);
  }
  return replay;
}
