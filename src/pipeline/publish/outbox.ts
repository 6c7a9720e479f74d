import { type RawBuilder, sql } from "kysely";
import {
  type Columns,
  type Database,
  nullable,
  query,
  type RowOf,
  returned,
  type Slots,
  Statement,
  text,
} from "../../platform/database/index.ts";
import { QueuedRows } from "../../platform/worker/index.ts";
import {
  EVENT_KEY,
  type EventKey,
  isLive,
  type OutboxState,
  paidEventId,
  publishedOn,
  type Route,
  rightTopic,
} from "./event-log.ts";

/** Queues events that the same statement logs. @param entries yields the columns in this order. */
export const queueEvents = (entries: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into outbox (source, event_id, invoice_type, callback_id, requested_at, traceparent, state,
    lease_token, claimed_until)
  select * from (${entries}) as new (source, event_id)
  where (select outbox.event_id from outbox
    where outbox.source = new.source and outbox.event_id = new.event_id and ${isLive}) is null
  returning source, event_id, state`;

interface Unpublished {
  source: string;
  topics: { live: string; test: string | null };
  invoiceIds: readonly string[];
}

const insertMissing = new Statement({ id: returned.uuid }, ({ value }: Slots<Unpublished>) => {
  const topic = rightTopic({
    live: value(({ topics }) => topics.live),
    test: value(({ topics }) => topics.test),
  });
  return sql`
    insert into outbox (source, event_id, invoice_type)
    select event.source, event.id, event.invoice_type from event
    where event.source = ${value(({ source }) => source)}
      and event.id in (select ${paidEventId(sql`invoice_id`)}
        from unnest(${value(({ invoiceIds }) => invoiceIds)}::uuid[]) as given (invoice_id))
      and ${topic} is not null and not ${publishedOn(topic)}
    order by event.invoice_id
    on conflict do nothing
    returning event_id as id`;
});

/**
 * Queues the logged events of these invoices again, with the same id, unless an acceptance on today's right
 * topic is kept. Entries in the outbox stay as they are, also events on hold and dead ones.
 * @returns the ids of the events that are queued now.
 */
export async function requeueEvents(
  db: Database,
  source: string,
  topics: Unpublished["topics"],
  invoiceIds: readonly string[],
): Promise<string[]> {
  const queued = await insertMissing.execute(db, { source, topics, invoiceIds });
  return queued.map(({ id }) => id);
}

export const outboxLeases = new QueuedRows("outbox", "event_id");

/** A condition: events are due, those of replays too. @param routes yields source and invoice_type. */
export const eventsAreDue = (routes: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  (exists (
    select from ${routes} cross join lateral (
      select from outbox where outbox.source = route.source and outbox.invoice_type = route.invoice_type
        and state = 'due' and due_at <= now() and ${isLive}
      limit 1) as due)
  or exists (select from outbox where not ${isLive} and state = 'due' and due_at <= now()))`;

const updateDead = (assignments: RawBuilder<unknown>) =>
  new Statement(
    {},
    ({ table }: Slots<readonly EventKey[]>) => sql`
      update outbox set ${assignments} from ${table("given", EVENT_KEY, (events) => events)}
      where outbox.source = given.source and outbox.event_id = given.event_id and state = 'dead'
        and ${isLive}`,
  );

const revive = updateDead(sql`state = 'due', attempt = 0, due_at = clock_timestamp(), dismissed_at = null`);
const dismiss = updateDead(sql`dismissed_at = clock_timestamp()`);

/** Sends dead events again, from the first try. */
export async function reviveDeadEvents(db: Database, events: readonly EventKey[]): Promise<void> {
  await revive.execute(db, events);
}

/** Takes dead events off the operators' lists. */
export async function dismissDeadEvents(db: Database, events: readonly EventKey[]): Promise<void> {
  await dismiss.execute(db, events);
}

const countDead = query((db) =>
  db
    .selectFrom("outbox")
    .select(({ fn }) => fn.countAll<number>().as("dead"))
    .where("state", "=", "dead")
    .where("dismissed_at", "is", null)
    .where(isLive),
);

/** Dead events that have not been dismissed. */
export const countDeadEvents = async (db: Database): Promise<number> =>
  (await countDead(db).executeTakeFirstOrThrow()).dead;

/** How many events move at once each way: few enough for a statement's time. */
const AT_ONCE = 5_000;

export interface TestRoutes {
  /** Sources that have a topic for Test invoices today. */
  withTopic: readonly string[];
  withoutTopic: readonly string[];
}

const testEvents = (state: "held" | "due", sources: RawBuilder<unknown>) => sql`
  select ctid from outbox
  where state = ${sql.lit(state)} and invoice_type = 'Test' and source = any(${sources}::text[]) and ${isLive}
  limit ${sql.lit(AT_ONCE)}`;

/** A condition: Test events are held that have a topic today, or are due without one. */
export const testEventsAreToMove = ({ value }: Slots<TestRoutes>): RawBuilder<boolean> => sql`
  (exists (${testEvents(
    "held",
    value(({ withTopic }) => withTopic),
  )})
    or exists (${testEvents(
      "due",
      value(({ withoutTopic }) => withoutTopic),
    )}))`;

const moveTestEvents = new Statement(
  { state: returned.text<OutboxState>() },
  ({ value }: Slots<TestRoutes>) => {
    const taking = (state: "held" | "due", sources: (given: TestRoutes) => readonly string[]) =>
      sql`${testEvents(state, value(sources))} for update skip locked`;
    return sql`
    with held as (${taking("held", ({ withTopic }) => withTopic)}),
    due as (${taking("due", ({ withoutTopic }) => withoutTopic)})
    update outbox set state = case state when 'held' then 'due' else 'held' end, due_at = clock_timestamp()
    where ctid = any (array(select ctid from held union all select ctid from due))
    returning state`;
  },
);

export function testRoutesOf(
  sources: readonly { name: string; snsTestTopicArn: string | null }[],
): TestRoutes {
  const named = (isWanted: boolean) =>
    sources.filter(({ snsTestTopicArn }) => (snsTestTopicArn !== null) === isWanted).map(({ name }) => name);
  return { withTopic: named(true), withoutTopic: named(false) };
}

/**
 * Releases the events of Test invoices, or holds them, by whether their source has a topic for them today.
 * Their only route is that of Test events, so that they never reach a live topic.
 * @returns how many are due now, and whether there may be more to move either way.
 */
export async function holdOrReleaseTestEvents(
  db: Database,
  sources: readonly { name: string; snsTestTopicArn: string | null }[],
): Promise<{ released: number; more: boolean }> {
  const moved = await moveTestEvents.execute(db, testRoutesOf(sources));
  const released = moved.filter(({ state }) => state === "due").length;
  return { released, more: released >= AT_ONCE || moved.length - released >= AT_ONCE };
}

export const ROUTE: Columns<Route> = {
  source: text(({ source }) => source),
  invoice_type: text(({ invoiceType }) => invoiceType),
  topic_arn: text(({ topicArn }) => topicArn),
};

// A replay's entries in the outbox. The replay adds and withdraws them, and the publishers send them. Entries
// that SNS accepts are gone, with a publication; entries that it refuses are dead; all of them are on hold
// where it refuses the topic.

/** An event that is to be sent again. */
interface Replayed extends EventKey {
  invoiceType: string;
  topicArn: string;
}

const REPLAYED: Columns<Replayed> = {
  ...EVENT_KEY,
  invoice_type: text(({ invoiceType }) => invoiceType),
  topic_arn: text(({ topicArn }) => topicArn),
};

interface Queueing {
  replayId: string;
  events: readonly Replayed[];
}

/** Queues events behind all live ones, in this order. */
export const queueReplayed = new Statement(
  {},
  ({ table, value }: Slots<Queueing>) => sql`
    insert into outbox (source, event_id, replay_id, invoice_type, topic_arn)
    select source, event_id, ${value(({ replayId }) => replayId)}::uuid, invoice_type, topic_arn
    from ${table("given", REPLAYED, ({ events }) => events)}
    on conflict do nothing`,
);

const QUEUE = {
  /** Not accepted yet, refused ones included. */
  waiting: returned.count,
  refused: returned.count,
  /** Why the topic refuses; null while it does not. */
  topicRefusal: nullable(returned.text()),
  /** Why the last attempt at one that still waits failed. */
  failure: nullable(returned.text()),
  /** The topic of the one that has been due for longest. */
  topicArn: nullable(returned.text()),
  /** Nothing has taken up that one for seconds. */
  stands: nullable(returned.boolean),
};
export type ReplayQueue = RowOf<typeof QUEUE>;

/** The rows of one, by their index. */
const isOf = (replayId: RawBuilder<unknown>) => sql`outbox.replay_id = ${replayId}::uuid and not ${isLive}`;

const selectQueue = new Statement(
  QUEUE,
  ({ value }: Slots<string>) => sql`
    select count(*) as waiting, count(*) filter (where state = 'dead') as refused,
      max(last_error) filter (where state = 'held') as "topicRefusal",
      max(last_error) filter (where state = 'due') as failure,
      (array_agg(topic_arn order by due_at) filter (where state = 'due'))[1] as "topicArn",
      min(due_at) filter (where state = 'due') < clock_timestamp() - interval '2 s' as stands
    from outbox where ${isOf(value((replayId) => replayId))}`,
);

/** The state of the events that a replay has queued. */
export async function readReplayQueue(db: Database, replayId: string): Promise<ReplayQueue> {
  const [queue] = await selectQueue.execute(db, replayId);
  if (queue === undefined) throw new Error("Postgres did not answer a count");
  return queue;
}

/** Takes as many refused events out of the outbox. */
export const takeRefused = (replayId: RawBuilder<unknown>, count: RawBuilder<unknown>) => sql`
  delete from outbox where ctid = any (array(
    select ctid from outbox where ${isOf(replayId)} and state = 'dead' limit ${count}))
  returning source, event_id, coalesce(last_error, 'no reason was given') as error`;

/** Takes all that waits out of the outbox. @returns the first of it, with its time to the microsecond, or nothing. */
export const takeBackReplayed = new Statement(
  { at: returned.text(), id: returned.uuid, source: returned.text() },
  ({ value }: Slots<string>) => sql`
    with gone as (delete from outbox where ${isOf(value((replayId) => replayId))} returning source, event_id)
    select event.created_at::text as at, event.id, event.source
    from gone join event on event.source = gone.source and event.id = gone.event_id
    order by event.created_at, event.id, event.source limit 1`,
);
