import { sql } from "kysely";
import {
  type Database,
  nullable,
  query,
  type RowOf,
  returned,
  type Slots,
  Statement,
  sourcesIn,
  typed,
} from "../../platform/database/index.ts";
import { type EventKey, type EventState, eventState, joinOutbox, paidEventId } from "./event-log.ts";

const EVENT = {
  source: returned.text(),
  id: returned.uuid,
  type: returned.text(),
  createdAt: returned.time,
  state: returned.text<EventState>(),
  /** Exactly as it is published: personal data included. */
  payload: returned.text(),
  erasedAt: nullable(returned.time),
};

/** An event of an invoice exactly as it is published, and which topics accepted it. */
type WholeEvent = RowOf<typeof EVENT> & {
  publications: {
    topicArn: string;
    messageId: string;
    publishedAt: Date;
    replayId: string | null;
    /** SHA-256, in hex, of the payload that was sent; null for those of before it was kept. */
    digest: string | null;
  }[];
};

/** The most acceptances that are read of one event, however often it was replayed. */
const PUBLICATIONS_READ = 50;

const selectEvents = new Statement(
  EVENT,
  ({ value }: Slots<string>) => sql`
    select event.source, event.id, event.type, event.created_at as "createdAt", ${eventState} as state,
      event.payload, event.erased_at as "erasedAt"
    from event ${joinOutbox}
    where event.source = any(${sourcesIn("event")})
      and event.id = ${paidEventId(sql`${value((invoiceId) => invoiceId)}::uuid`)}
    order by event.source, event.type`,
);

const selectAcceptances = query((db, { source, id }: EventKey) =>
  db
    .selectFrom("publication")
    .select(["topic_arn as topicArn", "message_id as messageId", "published_at as publishedAt"])
    .select([
      "replay_id as replayId",
      typed(nullable(returned.text()), sql`encode(digest, 'hex')`).as("digest"),
    ])
    .where("source", "=", source)
    .where("event_id", "=", id)
    .orderBy("id")
    .limit(PUBLICATIONS_READ),
);

/** The events of an invoice, each with its first acceptances in order. */
export async function eventsOf(db: Database, invoiceId: string): Promise<WholeEvent[]> {
  const events = await selectEvents.execute(db, invoiceId);
  return await Promise.all(
    events.map(async (event) => ({
      ...event,
      publications: await selectAcceptances(db, event).execute(),
    })),
  );
}

const selectOrphans = query((db, source: string, { from, to }: { from: Date; to: Date }, limit: number) =>
  db
    .selectFrom("publication")
    .select(["event_id as eventId", "topic_arn as topicArn", "message_id as messageId"])
    .select(({ fn }) => fn.countAll<number>().over().as("inAll"))
    .where("source", "=", source)
    .where("published_at", ">=", from)
    .where("published_at", "<", to)
    // Not `exists`: by a plan from a time when there were few events, Postgres might read them all.
    .where((eb) =>
      eb(
        eb
          .selectFrom("event")
          .select("event.id")
          .whereRef("event.source", "=", "publication.source")
          .whereRef("event.id", "=", "publication.event_id"),
        "is",
        null,
      ),
    )
    .orderBy("event_id")
    .limit(limit),
);

/** The acceptances of a period whose event is not in the log: how many, and `limit` of them at most. */
export async function orphanedAcceptances(
  db: Database,
  source: string,
  period: { from: Date; to: Date },
  limit: number,
) {
  const rows = await selectOrphans(db, source, period, limit).execute();
  return { orphans: rows.map(({ inAll, ...orphan }) => orphan), inAll: rows[0]?.inAll ?? 0 };
}
