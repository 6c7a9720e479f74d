import type { Database } from "../database/connect.ts";
import { createLogger } from "../kit/log.ts";
import { readBacklogAges } from "../operate/backlog.ts";

/** Told this often at most, in ms: CloudWatch keeps a point a minute. */
const EVERY_MS = 30_000;

/**
 * Tells the backlog as a line of the log, `{"backlog":{"confirmSeconds":…,"publishSeconds":…}}`, which a
 * metric filter of the stack makes two metrics of; whatever LOG_LEVEL says, since an alarm rests on it.
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
