import { type RawBuilder, sql } from "kysely";
import { type Columns, text, uuid } from "../../database/columns.ts";
import { isIn } from "../../database/is-in.ts";
import { leaseEnd } from "../../work/leased-rows.ts";
import type { NewEvent } from "./event.ts";

/** An answer that may hold an event, and the topic that this process sends it to; null leaves it due. */
type Answered = { event: NewEvent | null; handTo: string | null };

export const EVENT: Columns<Answered> = {
  event_id: uuid(({ event }) => event?.id ?? null),
  event_type: text(({ event }) => event?.type ?? null),
  event_invoice_type: text(({ event }) => event?.invoiceType ?? null),
  event_collection_name: text(({ event }) => event?.collectionName ?? null),
  event_state: text(({ event }) => event?.state ?? null),
  event_payload: text(({ event }) => event?.payload ?? null),
  event_traceparent: text(({ event }) => event?.traceparent ?? null),
  hand_to: text(({ handTo }) => handTo),
};

/**
 * Logs the events in `held`, each with the digest of the answer that it was made from: however many find the
 * payment, the unique key lets one through (G4).
 * @param after a condition that makes Postgres write something else first.
 */
export const logging = (after: RawBuilder<boolean>): RawBuilder<unknown> => sql`
  insert into event (id, invoice_id, source, type, invoice_type, collection_name, payload, answer_digest,
    erased_at)
  select event_id, invoice_id, source, event_type, event_invoice_type, event_collection_name, event_payload,
    digest, erased_at
  from held
  where event_id is not null and ${after}
  order by invoice_id
  on conflict do nothing
  returning source, id`;

/**
 * Queues the events that were `logged`. One that is handed over is inserted as claimed, which saves a claim;
 * nothing is handed over to a topic that is paused or backing off.
 * @param joiningTopic joins `topic` by its ARN while it takes events.
 */
export const queueing = (
  joiningTopic: (arn: RawBuilder<unknown>) => RawBuilder<unknown>,
  leaseToken: RawBuilder<unknown>,
  leaseMs: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  insert into outbox (source, event_id, invoice_type, callback_id, requested_at, traceparent, state,
    lease_token, claimed_until)
  select held.source, held.event_id, held.event_invoice_type, held.callback_id, held.requested_at,
    held.event_traceparent,
    case when topic.arn is null then held.event_state else 'claimed' end,
    case when topic.arn is not null then ${leaseToken}::uuid end,
    case when topic.arn is not null then ${leaseEnd(leaseMs)} end
  from held ${joiningTopic(sql`held.hand_to`)} and held.event_state = 'due'
  where ${isIn(sql`held.source, held.event_id`, sql`select source, id from logged`)}
  on conflict do nothing
  returning source, event_id, state`;
