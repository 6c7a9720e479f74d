import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { countWaiting } from "../outbox/count-waiting.ts";
import type { Route } from "../outbox/event.ts";
import { readStanding } from "../upstreams/change.ts";
import { stateOf } from "../upstreams/machine.ts";
import { TOPIC } from "../upstreams/upstream-kind.ts";

/** Why a replay may not send to this topic now, and when to look again, in ms. */
export interface Waits {
  why: string;
  ms: number;
}

const LIVE_MS = 20;
const CLOSED_MS = 1_000;

const CLOSED = {
  paused: "the topic is paused; resume it with: invoice-relay resume publish",
  refused: "SNS refuses the topic; once that is mended: invoice-relay resume publish",
  backing_off: "the topic backs off after a fault",
} as const;

/**
 * Live events go first: the next batch of a replay waits for every live event of the topic that was due when
 * the batch before it ended. So none ever waits behind more than one (G9), and replays still come forward
 * while new ones keep arriving. A topic that is paused or backing off is left alone.
 * @param since Postgres' clock when the batch before ended; null before the first one.
 */
export async function waitsForLiveEvents(
  db: Kysely<Tables>,
  topicArn: string,
  routes: readonly Route[],
  since: string | null,
): Promise<Waits | null> {
  const topic = await readStanding(db, TOPIC, topicArn);
  const state = topic === null ? "closed" : stateOf(topic, TOPIC.policy);
  if (state !== "closed" && state !== "half_open") return { why: CLOSED[state], ms: CLOSED_MS };
  const live = routes.filter((route) => route.topicArn === topicArn);
  const waiting = await countWaiting(db, live, since);
  if (waiting > 0)
    return { why: `${waiting} live events go first (they need a running invoice-relay serve)`, ms: LIVE_MS };
  return null;
}

/** Postgres' clock, to the microsecond. */
export async function databaseClock(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db);
  return rows[0]?.now ?? "-infinity";
}
