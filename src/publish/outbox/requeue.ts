import { type Kysely, sql } from "kysely";
import { returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import { publishedOn, rightTopic } from "./event-state.ts";

interface Given {
  source: string;
  topics: { live: string; test: string | null };
  invoiceIds: readonly string[];
}

const queueing = new Statement({ id: returned.uuid }, ({ value }: Slots<Given>) => {
  const topic = rightTopic({
    live: value(({ topics }) => topics.live),
    test: value(({ topics }) => topics.test),
  });
  return sql`
    insert into outbox (source, event_id, invoice_type)
    select event.source, event.id, event.invoice_type from event
    where event.source = ${value(({ source }) => source)}
      and event.invoice_id = any(${value(({ invoiceIds }) => invoiceIds)}::uuid[])
      and ${topic} is not null and not ${publishedOn(topic)}
    order by event.invoice_id
    on conflict do nothing
    returning event_id as id`;
});

/**
 * Queues the logged events of these invoices again, with the same id, unless an acceptance on the topic that
 * is right today is kept. What is already in the outbox stays as it is, held and dead events too.
 * @returns the ids of the events that are queued now.
 */
export async function requeue(
  db: Kysely<Tables>,
  source: string,
  topics: Given["topics"],
  invoiceIds: readonly string[],
): Promise<string[]> {
  const queued = await queueing.execute(db, { source, topics, invoiceIds });
  return queued.map(({ id }) => id);
}
