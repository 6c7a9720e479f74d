import type { Database } from "../database/connect.ts";
import { createLogger } from "../kit/log.ts";
import { readBacklogAges } from "../operate/backlog.ts";

/** The least time between two lines, in ms: CloudWatch keeps one point a minute. */
const EVERY_MS = 30_000;

/**
 * Logs the backlog, `{"backlog":{"confirmSeconds":…,"publishSeconds":…}}`, which a metric filter of the stack
 * turns into two metrics. Ignores LOG_LEVEL, because an alarm depends on it.
 */
export function backlogTeller(db: Database, now: () => number = Date.now): () => Promise<void> {
  const log = createLogger({ level: "info" });
  let toldAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (now() - toldAt < EVERY_MS) return;
    toldAt = now();
    const { oldestConfirmationSeconds, oldestEventSeconds } = await readBacklogAges(db);
    const backlog = { confirmSeconds: oldestConfirmationSeconds, publishSeconds: oldestEventSeconds };
    log.info({ backlog }, "the oldest work that is due");
  };
}
