// A program that reads an SQS queue subscribed to the topic, with or without raw message delivery.
//
//   npm install ./invoice-relay-events-0.1.0.tgz pg @aws-sdk/client-sqs
//   QUEUE_URL=https://sqs.… AWS_REGION=eu-west-1 DATABASE_URL=postgres://… node sqs-consumer.ts
//
// A message is deleted only when its handler is through; one that fails comes back after the queue's
// visibility timeout and, after maxReceiveCount tries, goes to the queue's dead-letter queue.
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { onceOnly, parseUnsignedInvoicePaid, postgresOnceOnly } from "invoice-relay-events";
import pg from "pg";

const { QUEUE_URL = "", DATABASE_URL = "" } = process.env;
const sqs = new SQSClient({});
const pool = new pg.Pool({ connectionString: DATABASE_URL });
pool.on("error", (error) => process.stderr.write(`${error.message}\n`));
const store = postgresOnceOnly<pg.PoolClient>(pool, { table: "handled_event_of_queue" });
await store.createTable();

for (;;) {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: QUEUE_URL, MaxNumberOfMessages: 10, WaitTimeSeconds: 20 }),
  );
  for (const message of Messages) {
    try {
      for (const event of parseUnsignedInvoicePaid(message)) {
        // What the handler writes through this client commits together with the memory of the event.
        const outcome = await onceOnly(store, event, async (_event, client) => {
          await client.query("select 1");
        });
        process.stdout.write(`${outcome} ${event.data.invoiceId} ${event.data.amount}\n`);
      }
      await sqs.send(new DeleteMessageCommand({ QueueUrl: QUEUE_URL, ReceiptHandle: message.ReceiptHandle }));
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
}
