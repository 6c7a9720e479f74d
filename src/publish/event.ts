import { type RawBuilder, type Selectable, sql } from "kysely";
import { type Columns, returned, text, typed, uuid } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";

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

/** The line that an event waits in: with today's settings, each leads to one topic. */
export const lineOf = ({ source, invoiceType }: { source: string; invoiceType: string }): string =>
  `${source} ${invoiceType}`;

/** The state of an event's sending; one without a row in the outbox is published, or was never sent. */
export type OutboxState = Selectable<Tables["outbox"]>["state"];

/**
 * The state of an event; `lost`: it waits nowhere, and no acceptance is kept but those of replays, which a
 * person may have sent anywhere.
 */
export type EventState = OutboxState | "published" | "lost";

// Conditions and expressions over rows of `event`, for whoever reads it.

/** It says that an invoice was paid. */
export const isPaymentEvent = sql<boolean>`event.type = 'invoice.paid'`;

/**
 * Of rows of `claimed`, confirmations: the invoice's event is in the log. Not `exists`: by a plan from a time
 * when there were few events, Postgres might read them all.
 */
export const paidEventIsLogged = sql<boolean>`
  (select event.id from event where event.source = claimed.source
    and event.invoice_id = claimed.invoice_id and ${isPaymentEvent}) is not null`;

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

/** Joins the outbox to `event`. */
export const joinOutbox = sql`
  left join outbox on outbox.source = event.source and outbox.event_id = event.id`;

/**
 * The text of a field of its payload; null where that says null. It is the first of that name: the relay
 * wrote the payload with its own fields before the metadata, whose keys strangers choose, and quotes inside
 * its texts are escaped, so that no text can imitate a field. Whatever the payload was turned into by hand,
 * it fails no statement.
 */
export const inPayload = (field: string) =>
  sql`substring(event.payload from ${sql.lit(`"${field}":(?:null|"([^"]*)")`)})`;

/** The type of the invoice, `Live` or `Test`; the event has a type of its own, which is neither. */
export const invoiceTypeInPayload = sql`substring(event.payload from '"type":"(Live|Test)"')`;
