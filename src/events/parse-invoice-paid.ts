import { z } from "zod";
import { type InvoicePaid, invoicePaidSchema } from "./invoice-paid.ts";
import { InvoicePaidError } from "./invoice-paid-error.ts";
import { readJson } from "./read-json.ts";
import { type SnsMessage, snsMessageSchema } from "./sns-message.ts";
import { type Trust, verifySignature } from "./verify-signature.ts";

const anyEvent = z.object({ specversion: z.string(), type: z.string(), dataschema: z.string().optional() });
/** An SQS message, as Lambda or as the SDK's ReceiveMessage gives it. */
const sqsRecord = z.union([z.object({ body: z.string() }), z.object({ Body: z.string() })]);
const lambdaSnsRecord = z.object({ Sns: z.object({ Message: z.string() }) });
const lambdaEvent = z.object({ Records: z.array(z.unknown()) });

/**
 * Reads the events in whatever carried them:
 * - over HTTP, an SNS notification (text, bytes or parsed): its signature is verified, and `topicArns` has to name its topic;
 * - an SQS record of Lambda or of the SDK, with or without raw message delivery;
 * - a Lambda event of SNS or SQS, with all its records;
 * - the event itself, as an object.
 *
 * Text, bytes, and anything given with `topicArns` may come from strangers: only what SNS signed is taken then. SQS and
 * Lambda deliver only what their policies let in, so what comes through them is not verified once more.
 * Money stays a decimal string, as it was published. Fields that a newer relay adds are left out.
 * @throws InvoicePaidError: `retry` says whether another delivery may help
 */
export async function parseInvoicePaid(input: unknown, trust: Trust = {}): Promise<InvoicePaid[]> {
  if (typeof input === "string" || input instanceof Uint8Array || trust.topicArns !== undefined)
    return [await fromHttp(readJson(input), trust)];
  const lambda = lambdaEvent.safeParse(input);
  if (lambda.success) return lambda.data.Records.map(fromRecord);
  const message = snsMessageSchema.safeParse(input);
  if (message.success) return [await fromHttp(input, trust)];
  return [anyEvent.safeParse(input).success ? fromEvent(input) : fromRecord(input)];
}

async function fromHttp(value: unknown, trust: Trust): Promise<InvoicePaid> {
  const message = snsMessageSchema.safeParse(value);
  if (!message.success)
    throw new InvoicePaidError(
      "unreadable",
      "This is no message that SNS signed (raw message delivery over HTTP has no signature). For a record of SQS or Lambda leave topicArns out.",
    );
  await verifySignature(message.data, trust);
  return fromNotification(message.data);
}

function fromRecord(record: unknown): InvoicePaid {
  const sns = lambdaSnsRecord.safeParse(record);
  if (sns.success) return fromEvent(readJson(sns.data.Sns.Message));
  const sqs = sqsRecord.safeParse(record);
  if (!sqs.success)
    throw new InvoicePaidError(
      "unreadable",
      "This is no SNS notification, no SQS record, no Lambda event of either, and no invoice.paid event.",
    );
  const body = readJson("body" in sqs.data ? sqs.data.body : sqs.data.Body);
  const message = snsMessageSchema.safeParse(body);
  return message.success ? fromNotification(message.data) : fromEvent(body);
}

function fromNotification(message: SnsMessage): InvoicePaid {
  if (message.Type !== "Notification")
    throw new InvoicePaidError(
      "not_a_notification",
      `This is a ${message.Type} of SNS. Give a SubscriptionConfirmation to confirmSubscription.`,
    );
  return fromEvent(readJson(message.Message));
}

function fromEvent(value: unknown): InvoicePaid {
  const named = anyEvent.safeParse(value);
  if (!named.success) throw new InvoicePaidError("unreadable", "The message holds no CloudEvent.");
  const { type, dataschema } = invoicePaidSchema.shape;
  if (!type.safeParse(named.data.type).success || !dataschema.safeParse(named.data.dataschema).success)
    throw new InvoicePaidError(
      "another_event",
      "The event is of another type or version. A filter policy on `type` keeps other types away.",
    );
  const event = invoicePaidSchema.safeParse(value);
  if (!event.success) {
    const where = event.error.issues.map((issue) => issue.path.join(".")).join(", ");
    throw new InvoicePaidError("invalid_event", `The event does not fit its schema at: ${where}.`);
  }
  return event.data;
}
