import { type RawBuilder, sql } from "kysely";

/**
 * Logs events; yields source and id of the new ones: however many find the payment, the unique key lets one
 * through (G4).
 * @param events yields the columns in this order.
 */
export const insertEvents = (events: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into event (id, invoice_id, source, type, invoice_type, collection_name, payload, answer_digest,
    erased_at)
  ${events}
  on conflict do nothing
  returning source, id`;

/** Queues logged events. @param entries yields the columns in this order. */
export const insertOutboxEntries = (entries: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into outbox (source, event_id, invoice_type, callback_id, requested_at, traceparent, state,
    lease_token, claimed_until)
  ${entries}
  on conflict do nothing
  returning source, event_id, state`;
