import { type Kysely, sql } from "kysely";
import { sourcesIn } from "../../database/sources-in.ts";
import { nullable, type RowOf, returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import { type EventState, eventState, joiningOutbox } from "./event-state.ts";

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
export type WholeEvent = RowOf<typeof EVENT> & {
  publications: { topicArn: string; messageId: string; publishedAt: Date; replayId: string | null }[];
};

/** The most acceptances that are read of one event, however often it was replayed. */
const MOST_PUBLICATIONS = 50;

const reading = new Statement(
  EVENT,
  ({ value }: Slots<string>) => sql`
    select event.source, event.id, event.type, event.created_at as "createdAt", ${eventState} as state,
      event.payload, event.erased_at as "erasedAt"
    from event ${joiningOutbox}
    where event.source = any(${sourcesIn("event")}) and event.invoice_id = ${value((invoiceId) => invoiceId)}
    order by event.source, event.type`,
);

/** The events of an invoice, each with its first acceptances in order. */
export async function eventsOf(db: Kysely<Tables>, invoiceId: string): Promise<WholeEvent[]> {
  const events = await reading.execute(db, invoiceId);
  return await Promise.all(
    events.map(async (event) => ({
      ...event,
      publications: await db
        .selectFrom("publication")
        .select(["topic_arn as topicArn", "message_id as messageId", "published_at as publishedAt"])
        .select("replay_id as replayId")
        .where("source", "=", event.source)
        .where("event_id", "=", event.id)
        .orderBy("id")
        .limit(MOST_PUBLICATIONS)
        .execute(),
    })),
  );
}
