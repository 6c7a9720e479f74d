import { hash } from "node:crypto";
import { type RawBuilder, type Selectable, sql } from "kysely";
import {
  type Columns,
  command,
  type Database,
  query,
  returned,
  type Tables,
  text,
  typed,
  uuid,
} from "../../platform/database/index.ts";
import { ERASED_IN_EVENT, NIL_UUID } from "../../platform/values/index.ts";

/**
 * Logs events and returns source and id of the new ones. However many workers find the payment, the key
 * admits one event (one identity, G4). The worker that logs an event holds the lease of its confirmation,
 * so it may check first: with "on conflict" Postgres would log 48 bytes more for each insert.
 * @param events yields the columns in this order.
 */
export const insertEvents = (events: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into event (id, invoice_id, source, type, invoice_type, collection_name, payload, answer_digest,
    erased_at)
  select * from (${events}) as new (id, invoice_id, source)
  where (select known.id from event as known where known.source = new.source and known.id = new.id) is null
  returning source, id`;

const lockEvents = query((db, invoiceId: string, sources: readonly string[]) =>
  db
    .selectFrom("event")
    .select(["source", "id", "payload", "erased_at"])
    .where(sql<boolean>`source = any(${sources}::text[])`)
    .where("id", "=", paidEventId(sql`${invoiceId}::uuid`))
    .forUpdate(),
);

const blankEvent = command(
  ({ source, id }: EventKey, digest: string, payload: string) => sql`
    update event set erased_at = clock_timestamp(), erased_digest = ${digest}, payload = ${payload}
    where source = ${source} and id = ${id}`,
);

/**
 * Blanks the personal data of an invoice's events, in the one update of the log that its trigger permits; a
 * digest of what was published stays.
 * @param sources all that may hold one: the log is looked up by source first.
 * @returns `found`: how many events it has; `blanked`: how many changed.
 */
export async function eraseEvents(
  db: Database,
  invoiceId: string,
  sources: readonly string[],
): Promise<{ found: number; blanked: number }> {
  const events = await lockEvents(db, invoiceId, sources).execute();
  const legible = events.filter(({ erased_at }) => erased_at === null);
  for (const { payload, ...key } of legible)
    await blankEvent(db, key, hash("sha256", payload), erasedPayload(payload));
  return { found: events.length, blanked: legible.length };
}

/** The event without what may name a person. Its money is text, so parsing loses nothing of an amount. */
function erasedPayload(payload: string): string {
  const event = JSON.parse(payload) as { data: Record<string, unknown> };
  return JSON.stringify({ ...event, data: { ...event.data, ...ERASED_IN_EVENT } });
}

export interface EventKey {
  id: string;
  source: string;
}

export const EVENT_KEY: Columns<EventKey> = {
  event_id: uuid(({ id }) => id),
  source: text(({ source }) => source),
};

/** Which events go to which topic. */
export interface Route {
  source: string;
  invoiceType: "Live" | "Test";
  topicArn: string;
}

/** The queue that an event waits in: with today's settings, each leads to one topic. */
export const queueOf = ({ source, invoiceType }: { source: string; invoiceType: string }): string =>
  `${source} ${invoiceType}`;

/** The queue of all that replays have queued. */
export const REPLAYS = "replays";

/** The state of an event's sending; one without a row in the outbox is published, or was never sent. */
export type OutboxState = Selectable<Tables["outbox"]>["state"];

/**
 * The state of an event; `lost`: it waits nowhere, and no acceptance is kept but those of replays, which a
 * person may have sent anywhere.
 */
export type EventState = OutboxState | "published" | "lost";

// Conditions and expressions over rows of `event`, for its readers.

/** The id of an invoice's event (one identity, G4), by which the log is looked up. */
export const paidEventId = (invoiceId: RawBuilder<unknown>) =>
  typed(returned.uuid, sql`event_id(${invoiceId}, 'invoice.paid')`);

/** It says that an invoice was paid. */
export const isPaymentEvent = sql<boolean>`event.type = 'invoice.paid'`;

/** The event of an invoice: found by its key, and none where its row was changed by hand (provable, G10). */
export const isEventOf = (invoiceId: RawBuilder<unknown>) => sql<boolean>`
  event.id = ${paidEventId(invoiceId)} and event.invoice_id = ${invoiceId} and ${isPaymentEvent}`;

/**
 * Of rows of `claimed`, confirmations: the invoice's event is in the log. Not `exists`: by a plan from a time
 * when there were few events, Postgres might read them all.
 */
export const paidEventIsLogged = sql<boolean>`
  (select event.id from event where event.source = claimed.source
    and event.id = ${paidEventId(sql`claimed.invoice_id`)}) is not null`;

/**
 * SNS accepted it; acceptances of replays do not count. This and `publishedOn` are the only places that say
 * what "published" means.
 */
export const isAccepted = sql<boolean>`
  (select publication.id from publication where publication.source = event.source
    and publication.event_id = event.id and publication.replay_id is null limit 1) is not null`;

/** The same, on the topic that is right today. @param topicArn text, an expression over `event`. */
export const publishedOn = (topicArn: RawBuilder<unknown>) => sql<boolean>`
  exists (select from publication where publication.source = event.source and publication.event_id = event.id
    and publication.topic_arn = ${topicArn})`;

/** The topic that is right for it today; null for a Test event without a topic. */
export const rightTopic = ({ live, test }: { live: unknown; test: unknown }) => sql`
  (case event.invoice_type when 'Live' then ${live}::text else ${test}::text end)`;

/** With its `outbox` row joined, if it has one. */
export const eventState = typed(
  returned.text<EventState>(),
  sql`
  case when outbox.state is not null then outbox.state when ${isAccepted} then 'published' else 'lost' end`,
);

/** A condition on rows of `outbox`: an event's own row, not one of a replay. */
export const isLive = sql<boolean>`outbox.replay_id = ${sql.lit(NIL_UUID)}`;

/** Joins the outbox to `event`. */
export const joinOutbox = sql`
  left join outbox on outbox.source = event.source and outbox.event_id = event.id and ${isLive}`;

/**
 * The text of a field of its payload; null where the payload says null. The first field of that name counts:
 * the relay wrote its own fields before the metadata, whose keys strangers choose, and quotes inside texts
 * are escaped, so that no text can imitate a field. A payload changed by hand fails no statement.
 */
export const inPayload = (field: string) =>
  sql`substring(event.payload from ${sql.lit(`"${field}":(?:null|"([^"]*)")`)})`;

/** The type of the invoice, `Live` or `Test`; the event has a type of its own, which is neither. */
export const invoiceTypeInPayload = sql`substring(event.payload from '"type":"(Live|Test)"')`;
