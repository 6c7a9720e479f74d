import { z } from "zod";
import { type InvoicePaid, InvoicePaidError, invoicePaidSchema } from "./invoice-paid.ts";
import { readJson, type SnsMessage, snsMessageSchema } from "./sns-message.ts";
import { namedTopics, type Trust, verifySignature } from "./verify-signature.ts";

/**
 * Reads the event in a message that SNS posted over HTTP, once its signature is verified. Unsigned messages are
 * refused: for those of Lambda or a queue there is `parseUnsignedInvoicePaid`. Money stays a decimal string, as
 * it was published. Fields that a newer relay adds are left out.
 * @param body the posted message, as text, bytes or parsed
 * @throws InvoicePaidError: `retry` says whether another delivery may help
 * @throws TypeError when `topicArns` names no topic
 */
export async function parseInvoicePaid(body: unknown, trust: Trust): Promise<InvoicePaid[]> {
  namedTopics(trust);
  const message = snsMessageSchema.safeParse(readJson(body));
  if (!message.success)
    throw new InvoicePaidError(
      "unreadable",
      "This is no message that SNS signed (raw message delivery over HTTP has no signature). " +
        "Pass messages from a queue or Lambda to parseUnsignedInvoicePaid.",
    );
  await verifySignature(message.data, trust);
  return [readNotification(message.data)];
}

/** An SQS message, as Lambda or as the SDK's ReceiveMessage gives it. */
const sqsRecord = z.union([z.object({ body: z.string() }), z.object({ Body: z.string() })]);
const lambdaSnsRecord = z.object({ Sns: z.object({ Message: z.string() }) });
const lambdaEvent = z.object({ Records: z.array(z.unknown()) });

/**
 * Reads the events in messages that did not come over HTTP, without verifying any signature. Only for input that
 * strangers cannot write: a queue, or a function, whose policy admits your topic alone.
 * @param input an SQS record of Lambda or of the SDK, with or without raw message delivery; a Lambda event of
 *   SNS or SQS, with all its records; these records alone, as EventBridge Pipes gives them; or the event itself, as
 *   an object
 * @throws InvoicePaidError
 */
export function parseUnsignedInvoicePaid(input: unknown): InvoicePaid[] {
  if (Array.isArray(input)) return input.map(readRecord);
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
        "Pass messages that SNS posts over HTTP to parseInvoicePaid.",
    );
  const body = readJson("body" in sqs.data ? sqs.data.body : sqs.data.Body);
  const message = snsMessageSchema.safeParse(body);
  return message.success ? readNotification(message.data) : readEvent(body);
}

const anyEvent = z.object({ specversion: z.string(), type: z.string(), dataschema: z.string().optional() });

/** Whether it says that it is a CloudEvent. */
const isAnyEvent = (value: unknown): boolean => anyEvent.safeParse(value).success;

/** The event in a notification of SNS. @throws InvoicePaidError */
function readNotification(message: SnsMessage): InvoicePaid {
  if (message.Type !== "Notification")
    throw new InvoicePaidError(
      "not_a_notification",
      `This is a ${message.Type} of SNS. Give a SubscriptionConfirmation to confirmSubscription.`,
    );
  return readEvent(readJson(message.Message));
}

/** A value that should be the event, read by its schema. @throws InvoicePaidError */
function readEvent(value: unknown): InvoicePaid {
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
