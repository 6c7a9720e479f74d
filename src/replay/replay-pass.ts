import type { Alarms } from "../database/alarms.ts";
import type { Logger } from "../kit/log.ts";
import { type ReplayWorkshop, takeUpReplay } from "./replay-workshop.ts";

/**
 * Takes up replays that nobody works on, the oldest first, until none is left: those asked for by the admin API, and
 * those whose process died. One that fails raises an alarm.
 */
export async function replayPass(
  options: ReplayWorkshop & { alarms: Alarms; log: Logger },
  stop: AbortSignal,
): Promise<null> {
  while (!stop.aborted) {
    const replay = await takeUpReplay(options, "any on a topic", { stop });
    if (replay === null) return null;
    const { id, kind, state, handled, matching, refused } = replay;
    options.log.info({ replay: id, kind, state, handled, matching, refused }, "replay ended or stopped");
    if (state === "failed")
      await options.alarms.raise({
        name: "replay_failed",
        source: "",
        subject: id,
        detail: `A replay of ${kind} cannot go on: ${replay.lastError}. Go on with: invoice-relay replay resume ${id}`,
      });
  }
  return null;
}
