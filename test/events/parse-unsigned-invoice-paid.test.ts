import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { InvoicePaidError, type InvoicePaidErrorKind } from "../../src/events/invoice-paid-error.ts";
import { parseUnsignedInvoicePaid } from "../../src/events/parse-invoice-paid.ts";

const text = readFileSync(join(import.meta.dirname, "published/v1/payloads/full.json"), "utf8");
const event = JSON.parse(text);

/** What it throws for this. */
function refusal(input: unknown): InvoicePaidError {
  try {
    parseUnsignedInvoicePaid(input);
  } catch (error) {
    if (error instanceof InvoicePaidError) return error;
    throw error;
  }
  throw new Error("it was taken");
}

describe("parseUnsignedInvoicePaid", () => {
  const envelope = JSON.stringify({
    Type: "Notification",
    MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    TopicArn: "arn:aws:sns:us-east-1:123456789012:invoice-events",
    Message: text,
    Timestamp: "2026-11-01T09:00:02.000Z",
    SignatureVersion: "2",
    Signature: "EXAMPLE",
    SigningCertURL: "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-1.pem",
  });

  // As AWS documents them: Lambda Developer Guide, "Using Lambda with Amazon SNS", "… with Amazon SQS".
  it.each([
    ["an SQS record with raw delivery", { messageId: "m", eventSource: "aws:sqs", body: text }],
    ["an SQS record without raw delivery", { messageId: "m", eventSource: "aws:sqs", body: envelope }],
    ["a message of the SDK's ReceiveMessage", { MessageId: "m", ReceiptHandle: "r", Body: envelope }],
    [
      "a Lambda SNS event",
      {
        Records: [
          {
            EventVersion: "1.0",
            EventSource: "aws:sns",
            Sns: { Type: "Notification", MessageId: "m", Message: text, SigningCertUrl: "https://…" },
          },
        ],
      },
    ],
    // EventBridge User Guide, "Amazon EventBridge Pipes batching and concurrency".
    ["a batch of EventBridge Pipes", [{ messageId: "m", eventSource: "aws:sqs", body: text }]],
    ["the event itself", event],
  ])("reads %s", (_, input) => {
    expect(parseUnsignedInvoicePaid(input)).toEqual([event]);
  });

  it("reads all records of a Lambda SQS event, in their order", () => {
    const other = { ...event, subject: "ffffffff-ffff-4fff-8fff-ffffffffffff" };
    const Records = [{ body: text }, { body: JSON.stringify(other) }];

    expect(parseUnsignedInvoicePaid({ Records })).toEqual([event, other]);
  });

  it.each<[InvoicePaidErrorKind, unknown]>([
    ["unreadable", undefined],
    ["unreadable", null],
    ["unreadable", 7],
    ["unreadable", {}],
    ["unreadable", { body: "hello" }],
    ["unreadable", { Records: [{}] }],
    ["unreadable", [{}]],
    ["unreadable", JSON.parse(envelope)],
    ["unreadable", text],
    ["another_event", { body: JSON.stringify({ ...event, type: "invoice.refunded" }) }],
    [
      "another_event",
      { body: JSON.stringify({ ...event, dataschema: "urn:invoice-relay:schema:invoice.paid:v2" }) },
    ],
    ["invalid_event", { body: JSON.stringify({ ...event, data: { ...event.data, amount: 1500.5 } }) }],
    [
      "not_a_notification",
      {
        body: envelope
          .replace('"Notification"', '"SubscriptionConfirmation"')
          .replace("{", '{"Token":"t","SubscribeURL":"u",'),
      },
    ],
  ])("says %s", (kind, input) => {
    expect(refusal(input)).toMatchObject({ kind, retry: false });
  });

  it("says which fields are wrong, and nothing of what stands in them", () => {
    const wrong = { ...event, data: { ...event.data, amount: "secret amount" } };

    expect(refusal(wrong).message).toContain("data.amount");
    expect(refusal(wrong).message).not.toContain("secret");
  });
});
