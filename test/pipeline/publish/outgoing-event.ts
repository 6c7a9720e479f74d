import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { OutgoingEvent } from "../../../src/pipeline/publish/sns-destination.ts";
import type { Database } from "../../../src/platform/database/tables.ts";

export const TOPIC = "arn:aws:sns:eu-west-1:000000000000:invoices";
export const ROUTE = { source: "default", invoiceType: "Live" as const, topicArn: TOPIC };

export const event = (changes: Partial<OutgoingEvent> = {}): OutgoingEvent => {
  const id = randomUUID();
  return {
    ...{ id, source: "default", invoiceId: randomUUID(), type: "invoice.paid", invoiceType: "Live" },
    ...{ collectionName: "Term 1", payload: `{"id":"${id}"}` },
    ...changes,
  };
};

export const batchOf = (count: number) => Array.from({ length: count }, () => event());

/** Events that wait to be sent. */
export async function waiting(db: Database, count: number): Promise<void> {
  await sql`insert into topic (arn) values (${TOPIC})`.execute(db);
  await sql`
    with logged as (
      insert into event (id, invoice_id, source, type, invoice_type, payload)
      select event_id(id, 'invoice.paid'), id, 'default', 'invoice.paid', 'Live', '{}'
      from (select gen_random_uuid() as id from generate_series(1, ${count}::int)) as made
      returning source, id, invoice_type)
    insert into outbox (source, event_id, invoice_type) select source, id, invoice_type from logged`.execute(
    db,
  );
}
