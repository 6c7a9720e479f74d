import { sql } from "kysely";
import { returned } from "../../database/statement.ts";
import { typed } from "../../database/typed.ts";

/** A condition on rows of `event`: it tells that an invoice was paid. */
export const tellsOfPayment = sql<boolean>`event.type = 'invoice.paid'`;

/**
 * A condition on rows of `claimed`, confirmations: the invoice's event is in the log. Not `exists`: by a plan
 * from a time when there were few events, Postgres might read them all.
 */
export const paidEventIsLogged = sql<boolean>`
  (select event.id from event where event.source = claimed.source
    and event.invoice_id = claimed.invoice_id and ${tellsOfPayment}) is not null`;

/**
 * Whether SNS accepted an event, for a query over `event`; acceptances of replays do not count.
 * This and `publishedOn` are the only places that say what "published" means.
 */
export const isAccepted = sql<boolean>`
  (select publication.id from publication where publication.source = event.source
    and publication.event_id = event.id and publication.replay_id is null limit 1) is not null`;

/** The same, on the topic that is right today. @param topicArn text, an expression over `event`. */
export const publishedOn = (topicArn: ReturnType<typeof sql>) => sql<boolean>`
  exists (select from publication where publication.source = event.source and publication.event_id = event.id
    and publication.topic_arn = ${topicArn})`;

/**
 * The topic that is right for an event today, an expression over `event`; null for a Test event without a
 * topic.
 */
export const rightTopic = ({ live, test }: { live: unknown; test: unknown }) => sql`
  (case event.invoice_type when 'Live' then ${live}::text else ${test}::text end)`;

/**
 * Where an event stands; `lost`: it waits nowhere, and no acceptance is kept but those of replays, which a
 * person may have sent anywhere.
 */
export type EventState = "due" | "claimed" | "held" | "dead" | "published" | "lost";

/** For a query over `event` with its `outbox` row joined, if it has one. */
export const eventState = typed(
  returned.text<EventState>(),
  sql`
  case when outbox.state is not null then outbox.state when ${isAccepted} then 'published' else 'lost' end`,
);

/** Joins the outbox to `event`. */
export const joiningOutbox = sql`
  left join outbox on outbox.source = event.source and outbox.event_id = event.id`;
