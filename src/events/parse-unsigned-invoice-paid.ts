import { z } from "zod";
import type { InvoicePaid } from "./invoice-paid.ts";
import { InvoicePaidError } from "./invoice-paid-error.ts";
import { isAnyEvent, readEvent, readNotification } from "./read-event.ts";
import { readJson } from "./read-json.ts";
import { snsMessageSchema } from "./sns-message.ts";

/** An SQS message, as Lambda or as the SDK's ReceiveMessage gives it. */
const sqsRecord = z.union([z.object({ body: z.string() }), z.object({ Body: z.string() })]);
const lambdaSnsRecord = z.object({ Sns: z.object({ Message: z.string() }) });
const lambdaEvent = z.object({ Records: z.array(z.unknown()) });

/**
 * Reads the events in what did not come over HTTP, without verifying any signature. Only for what strangers
 * cannot write: a queue, or a function, whose policy lets in your topic and nobody else.
 * @param input an SQS record of Lambda or of the SDK, with or without raw message delivery; a Lambda event of
 *   SNS or SQS, with all its records; or the event itself, as an object
 * @throws InvoicePaidError
 */
export function parseUnsignedInvoicePaid(input: unknown): InvoicePaid[] {
  const lambda = lambdaEvent.safeParse(input);
  if (lambda.success) return lambda.data.Records.map(readRecord);
  return [isAnyEvent(input) ? readEvent(input) : readRecord(input)];
}

function readRecord(record: unknown): InvoicePaid {
  const sns = lambdaSnsRecord.safeParse(record);
  if (sns.success) return readEvent(readJson(sns.data.Sns.Message));
  const sqs = sqsRecord.safeParse(record);
  if (!sqs.success)
    throw new InvoicePaidError(
      "unreadable",
      "This is no SQS record, no Lambda event of SNS or SQS, and no invoice.paid event. " +
        "What SNS posts over HTTP goes to parseInvoicePaid.",
    );
  const body = readJson("body" in sqs.data ? sqs.data.body : sqs.data.Body);
  const message = snsMessageSchema.safeParse(body);
  return message.success ? readNotification(message.data) : readEvent(body);
}
