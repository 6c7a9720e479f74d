// A Lambda function behind an SQS queue that is subscribed to the topic. Give its event source mapping
// FunctionResponseTypes: [ReportBatchItemFailures]: then only the records that failed come back.
// It takes an SNS subscription without a queue as well: parseUnsignedInvoicePaid(event) reads both.
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { onceOnly, parseUnsignedInvoicePaid, postgresOnceOnly } from "invoice-relay-events";
import pg from "pg";

// One connection a container, kept between invocations. Its table is made by your migrations:
// store.createTable().
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
pool.on("error", (error) => process.stderr.write(`${error.message}\n`));
const store = postgresOnceOnly<pg.PoolClient>(pool);

/** Ends the connection; Lambda never calls it, tests do. */
export const close = () => pool.end();

/** @param event of the event source mapping; EventBridge Pipes gives its records alone. */
export async function handler(event: SQSEvent | SQSRecord[]): Promise<SQSBatchResponse> {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Array.isArray(event) ? event : event.Records) {
    try {
      for (const paid of parseUnsignedInvoicePaid(record)) {
        await onceOnly(store, paid, async ({ data }, client) => {
          await client.query("insert into booking values ($1, $2, $3)", [
            data.invoiceId,
            data.amount,
            data.payer?.name ?? null,
          ]);
        });
      }
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  return { batchItemFailures };
}
