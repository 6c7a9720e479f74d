// A Lambda function behind an SQS queue that is subscribed to the topic. Give its event source mapping
// FunctionResponseTypes: [ReportBatchItemFailures]: then only the records that failed come back.
// It takes an SNS subscription without a queue as well: parseUnsignedInvoicePaid(event) reads both.
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { parseUnsignedInvoicePaid } from "invoice-relay-events";
import pg from "pg";

// One connection a container, kept between invocations. Your migrations make its tables, as in http-consumer.ts.
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
pool.on("error", (error) => process.stderr.write(`${error.message}\n`));

/** Books a payment unless its event was handled before: both are written together, or neither. */
const BOOK = `with claimed as (insert into handled_event values ($1) on conflict do nothing returning event_id)
  insert into booking select $2, $3, $4 from claimed`;

/** Ends the connection; Lambda never calls it, tests do. */
export const close = () => pool.end();

/** @param event of the event source mapping; EventBridge Pipes gives its records alone. */
export async function handler(event: SQSEvent | SQSRecord[]): Promise<SQSBatchResponse> {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Array.isArray(event) ? event : event.Records) {
    try {
      for (const { id, data } of parseUnsignedInvoicePaid(record))
        await pool.query(BOOK, [id, data.invoiceId, data.amount, data.payer?.name ?? null]);
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  return { batchItemFailures };
}
