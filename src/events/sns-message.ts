import { z } from "zod";

/**
 * What SNS posts to HTTP endpoints, and puts into the body of an SQS message without raw delivery
 * (Amazon SNS Developer Guide, "Parsing Amazon SNS message formats").
 */
const envelope = z.object({
  MessageId: z.string(),
  TopicArn: z.string(),
  Message: z.string(),
  Timestamp: z.string(),
  SignatureVersion: z.enum(["1", "2"]).optional(),
  Signature: z.string().optional(),
  SigningCertURL: z.string().optional(),
});

export const snsMessageSchema = z.discriminatedUnion("Type", [
  envelope.extend({ Type: z.literal("Notification"), Subject: z.string().nullish() }),
  envelope.extend({
    Type: z.literal("SubscriptionConfirmation"),
    Token: z.string(),
    SubscribeURL: z.string(),
  }),
  envelope.extend({
    Type: z.literal("UnsubscribeConfirmation"),
    Token: z.string(),
    SubscribeURL: z.string(),
  }),
]);

export type SnsMessage = z.output<typeof snsMessageSchema>;

const NOTIFICATION_FIELDS = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"];
const CONFIRMATION_FIELDS = [
  "Message",
  "MessageId",
  "SubscribeURL",
  "Timestamp",
  "Token",
  "TopicArn",
  "Type",
];

/**
 * The text that SNS signed: the names and values of certain fields, a line each; a missing field is left out.
 */
export function signedText(message: SnsMessage): string {
  const fields: Record<string, unknown> = message;
  const names = message.Type === "Notification" ? NOTIFICATION_FIELDS : CONFIRMATION_FIELDS;
  return names
    .filter((name) => fields[name] !== undefined && fields[name] !== null)
    .map((name) => `${name}\n${String(fields[name])}\n`)
    .join("");
}
