import { type RawBuilder, sql } from "kysely";
import {
  type Database,
  nullable,
  perhaps,
  type RowOf,
  returned,
  type Slots,
  Statement,
} from "../../platform/database/index.ts";
import {
  admissionTo,
  beginTrial,
  readUpstreamRow,
  TOPIC,
  type TopicTrial,
  topicTakesReplays,
  whenTopicIsHealthy,
  whenTopicIsUnchanged,
} from "../../platform/upstreams/index.ts";
import { NIL_UUID } from "../../platform/values/index.ts";
import { claimedFor, type Lease } from "../../platform/worker/index.ts";
import { isLive, type Route } from "./event-log.ts";
import { ROUTE } from "./outbox.ts";

const EVENT = {
  id: returned.uuid,
  leaseToken: returned.uuid,
  invoiceId: returned.uuid,
  source: returned.text(),
  type: returned.text(),
  invoiceType: returned.text(),
  collectionName: nullable(returned.text()),
  payload: returned.text(),
  /** How often it was tried. */
  attempt: returned.integer,
  /** The callback that led to it; null without one, or when unknown. */
  callbackId: nullable(returned.uuid),
  /** When its invoice was last asked for; null when unknown. */
  requestedAt: nullable(returned.time),
  /** Of the confirmation that it came from; null where that was not traced. */
  traceparent: nullable(returned.text()),
  topicArn: returned.text(),
  /** The replay that sends it again; null for the event's own row. */
  replayId: nullable(returned.uuid),
};

/** An event that this worker holds the lease of. */
export type ClaimedEvent = RowOf<typeof EVENT>;

const CLAIMED = { open: returned.boolean, ...perhaps(EVENT) };

interface EventClaim {
  route: Route;
  /** How many events at most. */
  wanted: number;
  lease: Lease;
}

/**
 * Takes due events of one route. A healthy topic needs one statement. A topic that is paused or backs off
 * yields no event. A topic that failed or refuses yields a single event, and no more until that is through.
 */
export async function claimEvents(
  db: Database,
  claim: EventClaim,
): Promise<{ items: ClaimedEvent[]; isHealthy: boolean; moreInMs: number | null }> {
  const claimed = await claimWhenHealthy.execute(db, claim);
  if (isOpen(claimed)) return { items: claimed.filter(isClaimed), isHealthy: true, moreInMs: null };
  for (;;) {
    const topic = await readUpstreamRow(db, TOPIC, claim.route.topicArn);
    if (topic === null)
      throw new Error(`The topic ${claim.route.topicArn} has no row: it is made when serve starts`);
    const { total: wanted, trial, moreInMs } = admissionTo(topic, TOPIC.policy, claim.wanted);
    if (wanted < 1) return { items: [], isHealthy: false, moreInMs };
    const tried = await claimOnTrial.execute(db, { ...claim, wanted, trial, version: topic.version });
    if (isOpen(tried)) return { items: tried.filter(isClaimed), isHealthy: false, moreInMs };
  }
}

type ClaimedRow = RowOf<typeof CLAIMED>;

const isOpen = ([first]: readonly ClaimedRow[]) => first?.open === true;

// An outbox row whose event is gone has nothing to send; certificates report it.
const isClaimed = (row: ClaimedRow): row is ClaimedEvent & { open: boolean } =>
  row.id !== null && row.payload !== null;

interface Taking {
  /** Yields a row while the topic takes events, with a column `wanted`: how many. */
  admitted: RawBuilder<unknown>;
  /** A condition on rows of `outbox`. */
  which: RawBuilder<unknown>;
  /** The topic of rows of `claimed`. */
  topicArn: RawBuilder<unknown>;
  /** In the same statement, from the rows of `claimed`. */
  alsoWritten?: RawBuilder<unknown>;
}

/**
 * It finds the taken rows again by their ctid: a join would be planned as if a tenth of all that wait were
 * taken. It asks for an event's id as a range, in order: with a plain equality an empty table's other unique
 * index, which also begins with the source, costs the same as the primary key and may be chosen for good; only
 * the primary key has this order.
 */
const claimRows = (slots: Slots<{ lease: Lease }>, { admitted, which, topicArn, alsoWritten }: Taking) => sql`
  with admitted as materialized (${admitted}),
  taken as (
    select ctid from outbox
    where ${which} and state = 'due' and due_at <= now() and exists (select from admitted)
    order by due_at limit (select wanted from admitted) for update skip locked),
  claimed as (
    update outbox set ${claimedFor(slots)}
    where ctid = any (array(select ctid from taken))
    returning outbox.*)${alsoWritten === undefined ? sql`` : sql`, also_written as (${alsoWritten})`}
  select exists (select from admitted) as open, event.id, lease_token as "leaseToken",
    event.invoice_id as "invoiceId", event.source, event.type, event.invoice_type as "invoiceType",
    event.collection_name as "collectionName", event.payload, claimed.attempt,
    claimed.callback_id as "callbackId", claimed.requested_at as "requestedAt", claimed.traceparent,
    ${topicArn}::text as "topicArn", nullif(claimed.replay_id, ${sql.lit(NIL_UUID)}) as "replayId"
  from (select) as always
  left join (claimed cross join lateral (select * from event
    where event.source = claimed.source and event.id between claimed.event_id and claimed.event_id
    order by event.id limit 1) as event) on true`;

/** The due events of one route. */
const ofRoute = ({ value }: Slots<EventClaim>) => ({
  which: sql`source = ${value(({ route }) => route.source)}
    and invoice_type = ${value(({ route }) => route.invoiceType)} and ${isLive}`,
  topicArn: value(({ route }) => route.topicArn),
});

const claimWhenHealthy = new Statement(CLAIMED, (slots: Slots<EventClaim>) =>
  claimRows(slots, { ...ofRoute(slots), admitted: whenTopicIsHealthy(slots) }),
);

const claimOnTrial = new Statement(CLAIMED, (slots: Slots<EventClaim & TopicTrial>) =>
  claimRows(slots, {
    ...ofRoute(slots),
    admitted: whenTopicIsUnchanged(slots),
    alsoWritten: beginTrial(slots),
  }),
);

interface ReplayClaim {
  /** The routes of this process. */
  routes: readonly Route[];
  /** All topics that it may send replays to. */
  topics: readonly string[];
  wanted: number;
  lease: Lease;
}

const claimOfReplays = new Statement(CLAIMED, (slots: Slots<ReplayClaim>) => {
  const { value, table } = slots;
  const liveIsDue = sql`
    exists (select from ${table("route", ROUTE, ({ routes }) => routes)} cross join lateral (
      select from outbox as live where live.source = route.source and live.invoice_type = route.invoice_type
        and live.state = 'due' and live.due_at <= now() and live.replay_id = ${sql.lit(NIL_UUID)}
      limit 1) as due where route.topic_arn = outbox.topic_arn)`;
  const isOpen = topicTakesReplays(
    sql`outbox.topic_arn`,
    value(({ topics }) => topics),
  );
  return claimRows(slots, {
    admitted: sql`
      select ${value(({ wanted }) => wanted)}::bigint as wanted
      where set_config('synchronous_commit', 'off', true) is not null`,
    which: sql`not ${isLive} and ${isOpen} and not ${liveIsDue}`,
    topicArn: sql`claimed.topic_arn`,
  });
});

/**
 * Takes events that replays have queued, the oldest first, for open topics without a due live event. A topic
 * of other processes' settings is left to them.
 */
export const claimReplayed = async (db: Database, claim: ReplayClaim): Promise<ClaimedEvent[]> =>
  (await claimOfReplays.execute(db, claim)).filter(isClaimed);
