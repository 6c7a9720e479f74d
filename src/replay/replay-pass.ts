import { faultOf } from "../kit/fault.ts";
import type { Logger } from "../kit/log.ts";
import type { ReplayKind } from "./replay.ts";
import type { ReplayRunner } from "./replay-runner.ts";

const KINDS = ["confirmations", "callbacks", "events"] as const satisfies readonly ReplayKind[];

/** A replay that waits, for a refused source or topic perhaps, lets others go first after this long. */
const WAITS_AT_MOST_MS = 10_000;

interface ReplayPassOptions {
  runner: ReplayRunner;
  log: Logger;
  /** In ms; some seconds when left out. */
  waitsAtMostMs?: number;
}

/**
 * Runs the replays that no process works on until none is left: those that were queued, and those whose
 * process died. The kinds side by side, and of each kind one at a time, in turns: none waits for
 * one that cannot go on (G11).
 */
export async function replayPass(options: ReplayPassOptions, stop: AbortSignal): Promise<null> {
  await Promise.all(KINDS.map((kind) => runAll(kind, options, stop)));
  return null;
}

async function runAll(
  kind: ReplayKind,
  { runner, log, waitsAtMostMs = WAITS_AT_MOST_MS }: ReplayPassOptions,
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
