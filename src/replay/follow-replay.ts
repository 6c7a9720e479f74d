import { setTimeout as delay } from "node:timers/promises";
import type { Replay } from "./replay.ts";
import { findReplay } from "./replay-store.ts";
import { type ReplayWorkshop, takeUpReplay } from "./replay-workshop.ts";

export interface FollowOptions {
  stop: AbortSignal;
  onProgress: (replay: Replay) => void;
}

const LOOK_AGAIN_MS = 500;

/**
 * Runs the replay here, or watches while another process does or another replay of its kind goes first, until it has
 * ended or `stop` aborts.
 */
export async function followReplay(
  workshop: ReplayWorkshop,
  started: Replay,
  { stop, onProgress }: FollowOptions,
): Promise<Replay> {
  let replay = started;
  while (replay.state === "running" && !stop.aborted) {
    const ran = await takeUpReplay(workshop, replay.id, { stop, onProgress });
    replay = ran ?? (await findReplay({ db: workshop.db, id: replay.id })) ?? replay;
    if (replay.state !== "running") break;
    onProgress(replay);
    await delay(LOOK_AGAIN_MS, undefined, { signal: stop }).catch(() => undefined);
  }
  return replay;
}
