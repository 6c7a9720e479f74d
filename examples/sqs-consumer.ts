// A program that reads an SQS queue subscribed to the topic, with or without raw message delivery.
//
//   npm install ./invoice-relay-events-0.1.0.tgz pg @aws-sdk/client-sqs
//   QUEUE_URL=https://sqs.… AWS_REGION=eu-west-1 DATABASE_URL=postgres://… node sqs-consumer.ts
//
// A message is deleted only when its handler is through; one that fails comes back after the queue's
// visibility timeout and, after maxReceiveCount tries, goes to the queue's dead-letter queue.
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { parseUnsignedInvoicePaid } from "invoice-relay-events";
import pg from "pg";

const { QUEUE_URL = "", DATABASE_URL = "" } = process.env;
const sqs = new SQSClient({});
const pool = new pg.Pool({ connectionString: DATABASE_URL });
pool.on("error", (error) => process.stderr.write(`${error.message}\n`));
await pool.query(
  `create table if not exists handled_event (event_id uuid primary key, handled_at timestamptz default now());
   create table if not exists booking (invoice_id uuid primary key, amount numeric not null, payer text)`,
);

/** Books a payment unless its event was handled before: both are written together, or neither. */
const BOOK = `with claimed as (insert into handled_event values ($1) on conflict do nothing returning event_id)
  insert into booking select $2, $3, $4 from claimed`;

for (;;) {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: QUEUE_URL, MaxNumberOfMessages: 10, WaitTimeSeconds: 20 }),
  );
  for (const message of Messages) {
    try {
      for (const event of parseUnsignedInvoicePaid(message)) {
        const { invoiceId, amount, payer } = event.data;
        const { rowCount } = await pool.query(BOOK, [event.id, invoiceId, amount, payer?.name ?? null]);
        process.stdout.write(`${rowCount === 1 ? "handled" : "duplicate"} ${invoiceId} ${amount}\n`);
      }
      await sqs.send(new DeleteMessageCommand({ QueueUrl: QUEUE_URL, ReceiptHandle: message.ReceiptHandle }));
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
}
