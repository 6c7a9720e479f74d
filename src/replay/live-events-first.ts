import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Route } from "../publish/event.ts";
import { countWaitingEvents } from "../publish/outbox.ts";
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
  refused: "SNS refuses the topic; once that is fixed: invoice-relay resume publish",
  backing_off: "the topic is backing off after a fault",
} as const;

/**
 * Live events go first: the next batch of a replay waits for every live event of the topic that was due when
 * the previous batch ended. So no live event waits behind more than one batch (G9), and replays still make
 * progress while new events keep arriving. Nothing is sent to a topic that is paused or backing off.
 * @param since Postgres' clock when the previous batch ended; null before the first one.
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
  const waiting = await countWaitingEvents(db, live, since);
  if (waiting > 0)
    return { why: `${waiting} live events go first (they need a running invoice-relay serve)`, ms: LIVE_MS };
  return null;
}
