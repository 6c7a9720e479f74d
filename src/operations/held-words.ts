import { clock } from "../platform/values/index.ts";
import type { Held } from "./status.ts";

/** Says why a source or topic is held up, by whom, and until when. */
export function heldWords({ work, name, state, actor, pauseReason, pausedAt, ...upstream }: Held): string {
  const what = work === "confirm" ? `asking the provider for source ${name}` : `sending to ${name}`;
  const why = upstream.lastError === null ? "" : ` (${upstream.lastError})`;
  switch (state) {
    case "paused": {
      const by = ` by ${actor ?? "a person"}`;
      const since = pausedAt === null ? "" : ` since ${clock(pausedAt)}`;
      const until = upstream.pausedUntil === null ? "" : `, until ${clock(upstream.pausedUntil)}`;
      return `${what} is paused${by}${since}${until}${pauseReason === null ? "" : ` (${pauseReason})`}`;
    }
    case "refused": {
      const who = work === "confirm" ? "the provider" : "SNS";
      return `${what} is refused by ${who}${pausedAt === null ? "" : ` since ${clock(pausedAt)}`}${why}`;
    }
    case "backing_off": {
      const until = upstream.opensAt === null ? "" : ` until ${clock(upstream.opensAt)}`;
      return `${what} is backing off${until}${why}`;
    }
    default:
      return `${what} is being tried again${why}`;
  }
}
