import { type RawBuilder, sql } from "kysely";
import {
  type Columns,
  type Database,
  nullable,
  type RowOf,
  returned,
  type Slots,
  Statement,
  text,
} from "../../platform/database/index.ts";

import { EVENT_KEY, type EventKey, isLive } from "./event-log.ts";

// What a replay has in the outbox. Rows are added and taken out by the replay, and sent by the publishers: those that
// SNS accepts are gone, with a publication; those that it refuses are dead; all of them are held where it refuses
// the topic.

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

/** What became of the events that a replay has queued. */
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
