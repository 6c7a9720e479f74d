import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type InvoicePaidErrorKind, parseUnsignedInvoicePaid } from "../../src/events/index.ts";

const text = readFileSync(join(import.meta.dirname, "published/v1/payloads/full.json"), "utf8");
const event = JSON.parse(text);

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
    ["a Lambda SNS event", { Records: [{ Sns: { Type: "Notification", Message: text } }] }],
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

  const without = (change: object) => ({ body: JSON.stringify({ ...event, ...change }) });
  const subscription = {
    ...JSON.parse(envelope),
    Type: "SubscriptionConfirmation",
    Token: "t",
    SubscribeURL: "u",
  };
  it.each<[InvoicePaidErrorKind, unknown]>([
    ...[undefined, null, 7, {}, { body: "hello" }, { Records: [{}] }, [{}], JSON.parse(envelope), text].map(
      (input): [InvoicePaidErrorKind, unknown] => ["unreadable", input],
    ),
    ["another_event", without({ type: "invoice.refunded" })],
    ["another_event", without({ dataschema: "urn:invoice-relay:schema:invoice.paid:v2" })],
    ["invalid_event", without({ data: { ...event.data, amount: 1500.5 } })],
    ["not_a_notification", { body: JSON.stringify(subscription) }],
  ])("says %s", (kind, input) => {
    expect(() => parseUnsignedInvoicePaid(input)).toThrow(expect.objectContaining({ kind, retry: false }));
  });

  it("says which fields are wrong, and nothing of what stands in them", () => {
    const wrong = { ...event, data: { ...event.data, amount: "secret amount" } };
    expect(() => parseUnsignedInvoicePaid(wrong)).toThrow("data.amount");
    expect(() => parseUnsignedInvoicePaid(wrong)).not.toThrow("secret");
  });
});
