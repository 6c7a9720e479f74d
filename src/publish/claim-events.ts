import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import { admissionTo } from "../upstreams/allowance.ts";
import { readStanding } from "../upstreams/change.ts";
import {
  beginningTrial,
  type Trying,
  whenTopicIsUnchanged,
  whenTopicIsWell,
} from "../upstreams/topic-row.ts";
import { TOPIC } from "../upstreams/upstream-kind.ts";
import { type ClaimedEvent, EventClaim } from "./outbox/claim-events.ts";
import type { Route } from "./outbox/event.ts";

export interface Claiming {
  route: Route;
  /** The most events. */
  wanted: number;
  leaseMs: number;
}

const whenWell = new EventClaim<Claiming>({ admitting: whenTopicIsWell });

const onTrial = new EventClaim<Claiming & Trying>({
  admitting: whenTopicIsUnchanged,
  thereupon: beginningTrial,
});

/**
 * Takes due events of one route. A topic that is well needs one statement. One that is paused or backs off
 * gives nothing; one that failed or refuses is tried with a single event, and gives no more until that one is
 * through.
 */
export async function claimEvents(
  db: Kysely<Tables>,
  claiming: Claiming,
): Promise<{ items: ClaimedEvent[]; isWell: boolean; moreInMs: number | null }> {
  const taken = await whenWell.from(db, claiming);
  if (taken.open) return { items: taken.items, isWell: true, moreInMs: null };
  for (;;) {
    const topic = await readStanding(db, TOPIC, claiming.route.topicArn);
    if (topic === null)
      throw new Error(`The topic ${claiming.route.topicArn} has no row: it is made when serve starts`);
    const { total: wanted, trial, moreInMs } = admissionTo(topic, TOPIC.policy, claiming.wanted);
    if (wanted < 1) return { items: [], isWell: false, moreInMs };
    const { open, items } = await onTrial.from(db, {
      ...claiming,
      wanted,
      trial,
      version: topic.version,
    });
    if (open) return { items, isWell: false, moreInMs };
  }
}
