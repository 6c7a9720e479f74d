import type { Logger } from "../kit/log.ts";
import type { ReplayRunner } from "./replay-runner.ts";

/**
 * Runs the replays that no process works on, oldest first, until none is left: those started through the
 * admin API, and those whose process died.
 */
export async function replayPass(
  { runner, log }: { runner: ReplayRunner; log: Logger },
  stop: AbortSignal,
): Promise<null> {
  while (!stop.aborted) {
    const replay = await runner.takeUp("any on a topic", { stop });
    if (replay === null) return null;
    const { id, kind, state, handled, matching, refused } = replay;
    log.info({ replay: id, kind, state, handled, matching, refused }, "replay ended or stopped");
  }
  return null;
}
