import { hash } from "node:crypto";
import { PublishCommand, SNSClient } from "@aws-sdk/client-sns";
import type pg from "pg";
import { entryOf } from "../../../src/pipeline/publish/sns-destination.ts";
import { TOPIC_ARN } from "../harness/payment.ts";
import type { JobOutlet, Paid } from "./queue-job.ts";

const VERDICT = `
  insert into confirmation
    (invoice_id, source, priority, opened_by, opened_at, requested_at, due_at, settled_at, state, verdict)
  values ($1, 'default', 'known', 'callback', now(), now(), now(), now(), 'done', 'paid')
  on conflict (invoice_id, source) do update set
    state = 'done', verdict = 'paid', priority = 'known', settled_at = now()`;

const SNAPSHOT = `
  insert into invoice_snapshot (invoice_id, source, asked_at, status, digest, document)
  select id, source, asked_at, status, digest, document from invoice
  where source = 'default' and id = $1 and digest <> $2`;

const INVOICE = `
  insert into invoice as known
    (id, source, created_at, modified_at, paid_at, asked_at, confirmed_at, amount, service_charge, vat,
     total_amount, settleable_amount, status, type, collection_name, title, reference, payment_method,
     service_fee_payer, digest, document)
  values
    ($1, 'default', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
  on conflict (source, id) do update set
    modified_at = excluded.modified_at, paid_at = excluded.paid_at, asked_at = excluded.asked_at,
    confirmed_at = excluded.confirmed_at, amount = excluded.amount, total_amount = excluded.total_amount,
    status = excluded.status, digest = excluded.digest, document = excluded.document
  where excluded.modified_at >= known.modified_at`;

const EVENT = `
  insert into event (id, invoice_id, source, type, invoice_type, collection_name, payload)
  values ($1, $2, 'default', $3, $4, $5, $6)
  on conflict do nothing`;

const UNSENT = `
  select payload from event where source = 'default' and id = $1
    and not exists (select from publication where publication.source = event.source and event_id = event.id)`;

const ACCEPTED = `
  insert into publication (source, event_id, topic_arn, message_id, digest)
  values ('default', $1, '${TOPIC_ARN}', $2, $3)`;

/** By the documentation of queues and SDK: a transaction of plain statements, a Publish a job. */
export function outletAsDocumented(pool: pg.Pool, snsUrl: string): JobOutlet {
  const sns = new SNSClient({ region: "us-east-1", endpoint: snsUrl, maxAttempts: 1 });
  return {
    async store(paid) {
      const client = await pool.connect();
      try {
        await client.query("begin");
        const payload = await store(client, paid);
        await client.query("commit");
        return payload;
      } catch (error) {
        await client.query("rollback");
        throw error;
      } finally {
        client.release();
      }
    },
    async publish(event) {
      const { Message, MessageAttributes } = entryOf(event, TOPIC_ARN);
      const message = { TopicArn: TOPIC_ARN, Message, MessageAttributes };
      const { MessageId } = await sns.send(new PublishCommand(message));
      await pool.query(ACCEPTED, [event.id, MessageId, hash("sha256", event.payload, "buffer")]);
    },
  };
}

async function store(client: pg.PoolClient, { invoiceId, invoice: i, event: e }: Paid) {
  await client.query(VERDICT, [invoiceId]);
  await client.query(SNAPSHOT, [invoiceId, i.digest]);
  await client.query(INVOICE, [
    ...[invoiceId, i.createdAt, i.modifiedAt, i.paidAt, i.askedAt, i.confirmedAt],
    ...[i.amount, i.serviceCharge, i.vat, i.totalAmount, i.settleableAmount, i.status, i.type],
    ...[i.collectionName, i.title, i.reference, i.paymentMethod, i.serviceFeePayer],
    ...[i.digest, i.document],
  ]);
  await client.query(EVENT, [e.id, invoiceId, e.type, e.invoiceType, e.collectionName, e.payload]);
  const { rows } = await client.query<{ payload: string }>(UNSENT, [e.id]);
  return rows[0]?.payload ?? null;
}
