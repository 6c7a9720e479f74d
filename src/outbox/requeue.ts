import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { publishedOn, rightTopic } from "./event-state.ts";

/**
 * Queues logged events again, with the same id, that no acceptance on the topic that is right today is kept
 * of, and that wait nowhere. What waits, is held or dead stays as it is.
 * @returns the ids of the events that are queued now.
 */
export async function requeue(
  db: Kysely<Tables>,
  source: string,
  topics: { live: string; test: string | null },
  invoiceIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into outbox (source, event_id, invoice_type)
    select event.source, event.id, event.invoice_type from event
    where event.source = ${source} and event.invoice_id = any(${invoiceIds}::uuid[])
      and ${rightTopic(topics)} is not null and not ${publishedOn(rightTopic(topics))}
    order by event.invoice_id
    on conflict do nothing
    returning event_id as id`.execute(db);
  return rows.map(({ id }) => id);
}
