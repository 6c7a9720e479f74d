import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Route } from "../publish/claim-events.ts";

/** Why a replay may not send to this topic now, and when to look again, in ms. */
export interface Waits {
  why: string;
  ms: number;
}

const LIVE_MS = 20;
const SHUT_MS = 1_000;

/**
 * Live events go first: the next batch of a replay waits for every live event of the topic that was due when the
 * batch before it ended. So none ever waits behind more than one (G9), and replays still come forward while new
 * ones keep arriving. A topic that is paused or backing off is left alone.
 * @param since Postgres' clock when the batch before ended; null before the first one.
 */
export async function rightOfWay(
  db: Kysely<Tables>,
  topicArn: string,
  routes: readonly Route[],
  since: string | null,
): Promise<Waits | null> {
  const live = routes.filter((route) => route.topicArn === topicArn);
  const { rows } = await sql<{ pausedBy: string | null; shut: boolean; waiting: number }>`
    select topic.paused_by as "pausedBy", coalesce(topic.opens_at > clock_timestamp(), false) as shut,
      ${waitingIn("due", live, since)} + ${waitingIn("claimed", live, since)} as waiting
    from (select) as one left join topic on topic.arn = ${topicArn}`.execute(db);
  const { pausedBy = null, shut = false, waiting = 0 } = rows[0] ?? {};
  if (pausedBy === "operator")
    return { why: "the topic is paused; resume it with: invoice-relay resume publish", ms: SHUT_MS };
  if (pausedBy !== null) return { why: "SNS refuses the topic", ms: SHUT_MS };
  if (shut) return { why: "the topic backs off after a fault", ms: SHUT_MS };
  if (waiting > 0)
    return { why: `${waiting} live events go first (they need a running invoice-relay serve)`, ms: LIVE_MS };
  return null;
}

/** One state at a time, as its index has it. */
const waitingIn = (state: "due" | "claimed", live: readonly Route[], since: string | null) => sql`
  (select count(*) from event
    where event.state = ${sql.lit(state)} and event.due_at <= coalesce(${since}::timestamptz, clock_timestamp())
      and (event.source, event.invoice_type) in (
        select * from unnest(${live.map((route) => route.source)}::text[], ${live.map((route) => route.invoiceType)}::text[])))`;

/** Postgres' clock, to the microsecond. */
export async function databaseClock(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db);
  return rows[0]?.now ?? "-infinity";
}
