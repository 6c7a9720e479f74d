import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import { createLogger } from "../kit/log.ts";

/** How long the oldest work that is due has been waiting, in seconds; 0 when nothing is due. */
export interface Backlog {
  confirmSeconds: number;
  publishSeconds: number;
}

/** Told this often at most, in ms: CloudWatch keeps a point a minute. */
const EVERY_MS = 30_000;

export async function readBacklog(db: Database): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select
      greatest(0, coalesce((select extract(epoch from clock_timestamp() - min(due_at)) from confirmation
        where state in ('due', 'claimed') and due_at <= now()), 0))::float8 as "confirmSeconds",
      greatest(0, coalesce((select extract(epoch from clock_timestamp() - min(created_at)) from event
        where state in ('due', 'claimed')), 0))::float8 as "publishSeconds"`.execute(db);
  return rows[0] ?? { confirmSeconds: 0, publishSeconds: 0 };
}

/**
 * Tells the backlog as a line of the log, `{"backlog":{"confirmSeconds":…,"publishSeconds":…}}`, which a metric filter
 * of the stack makes two metrics of; whatever LOG_LEVEL says, since an alarm rests on it.
 */
export function backlogTeller(db: Database, now: () => number = Date.now): () => Promise<void> {
  const log = createLogger({ level: "info" });
  let toldAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (now() - toldAt < EVERY_MS) return;
    toldAt = now();
    log.info({ backlog: await readBacklog(db) }, "the oldest work that is due");
  };
}
