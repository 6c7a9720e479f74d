import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PublishCommand } from "@aws-sdk/client-sns";
import { describe, expect, it, vi } from "vitest";
import { confirmSubscription } from "../../src/events/confirm-subscription.ts";
import type { InvoicePaidErrorKind } from "../../src/events/invoice-paid-error.ts";
import { parseInvoicePaid } from "../../src/events/parse-invoice-paid.ts";
import { snsFixture } from "../sandbox/sns/sns-fixture.ts";
import { type Subscriber, startSubscriber, subscribe } from "../sandbox/sns/subscriber.ts";

const text = readFileSync(join(import.meta.dirname, "published/v1/payloads/full.json"), "utf8");
const event = JSON.parse(text);

const failing = (kind: InvoicePaidErrorKind, retry = false) => expect.objectContaining({ kind, retry });

/** A notification as a local SNS signs and posts it, and what an endpoint of its topic trusts. */
async function notification({ topicAttributes = {}, message = text } = {}) {
  const { sns, client, topic } = await snsFixture();
  const topicArn = await topic("invoice-events", topicAttributes);
  const subscriber = await startSubscriber();
  await subscribe(client, topicArn, subscriber);
  await client.send(new PublishCommand({ TopicArn: topicArn, Message: message }));
  return {
    body: await first(subscriber),
    trust: { topicArns: [topicArn], trustedOrigins: [sns.url] },
    subscriber,
  };
}

async function first(subscriber: Subscriber): Promise<string> {
  return await vi.waitFor(() => {
    const found = subscriber.received.find((one) => one.headers["x-amz-sns-message-type"] === "Notification");
    if (found === undefined) throw new Error("nothing delivered yet");
    return found.body;
  });
}

describe("parseInvoicePaid, over HTTP", () => {
  it.each(["1", "2"])("reads what SNS signed with signature version %s", async (SignatureVersion) => {
    const { body, trust } = await notification({ topicAttributes: { SignatureVersion } });

    expect(JSON.parse(body).SignatureVersion).toBe(SignatureVersion);
    expect(await parseInvoicePaid(body, trust)).toEqual([event]);
    expect(await parseInvoicePaid(Buffer.from(body), trust)).toEqual([event]);
    expect(await parseInvoicePaid(JSON.parse(body), trust)).toEqual([event]);
  });

  it("refuses a message that was changed on its way", async () => {
    const { body, trust } = await notification();
    const changed = JSON.stringify({ ...JSON.parse(body), Message: text.replace("1500.50", "9500.50") });

    await expect(parseInvoicePaid(changed, trust)).rejects.toEqual(failing("forged"));
    const { Signature: _, ...unsigned } = JSON.parse(body);
    await expect(parseInvoicePaid(unsigned, trust)).rejects.toEqual(failing("forged"));
  });

  it("refuses a certificate that does not stand at SNS over https, and never asks for it", async () => {
    const { body, trust, subscriber } = await notification();
    const before = subscriber.received.length;
    for (const SigningCertURL of [
      `${subscriber.url}/certificate.pem`,
      "http://sns.us-east-1.amazonaws.com/certificate.pem",
      "https://sns.us-east-1.amazonaws.com.example.com/certificate.pem",
      "https://sns.us-east-1.amazonaws.com:8443/certificate.pem",
      "https://someone@sns.us-east-1.amazonaws.com/certificate.pem",
      "https://s3.amazonaws.com/sns.us-east-1.amazonaws.com/certificate.pem",
      "https://sns.us-east-1.amazonaws.com/certificate.txt",
      "no address",
    ]) {
      const moved = { ...JSON.parse(body), SigningCertURL };
      await expect(parseInvoicePaid(moved, trust), SigningCertURL).rejects.toEqual(
        failing("untrusted_certificate"),
      );
    }
    expect(subscriber.received).toHaveLength(before);
  });

  it("trusts a local SNS only when its origin is named", async () => {
    const { body, trust } = await notification();

    await expect(parseInvoicePaid(body, { topicArns: trust.topicArns })).rejects.toEqual(
      failing("untrusted_certificate"),
    );
  });

  it("refuses a topic that is not named: anyone with an AWS account has SNS sign something", async () => {
    const { body, trust } = await notification();

    await expect(parseInvoicePaid(body, { ...trust, topicArns: [] })).rejects.toEqual(
      failing("untrusted_topic"),
    );
    await expect(parseInvoicePaid(body)).rejects.toEqual(failing("untrusted_topic"));
    await expect(parseInvoicePaid(JSON.parse(body))).rejects.toEqual(failing("untrusted_topic"));
  });

  it("refuses what nobody signed, dressed as an event, an SQS record or a Lambda event", async () => {
    const topicArns = ["arn:aws:sns:us-east-1:000000000000:invoice-events"];
    for (const forged of [event, { body: text }, { Records: [{ body: text }] }]) {
      await expect(parseInvoicePaid(JSON.stringify(forged))).rejects.toEqual(failing("unreadable"));
      await expect(parseInvoicePaid(forged, { topicArns })).rejects.toEqual(failing("unreadable"));
    }
  });

  it("says that another delivery may help when the certificate cannot be fetched", async () => {
    const { body, trust } = await notification();
    const SigningCertURL = `${trust.trustedOrigins[0]}/missing.pem`;

    await expect(parseInvoicePaid({ ...JSON.parse(body), SigningCertURL }, trust)).rejects.toEqual(
      failing("unreachable", true),
    );
  });
});

describe("confirmSubscription", () => {
  it("answers the question of a topic that is named, which then delivers", async () => {
    const { sns, client, topic } = await snsFixture();
    const topicArn = await topic("invoice-events");
    const trust = { topicArns: [topicArn], trustedOrigins: [sns.url] };
    const questions: string[] = [];
    const subscriber = await startSubscriber((received) => {
      questions.push(received.body);
      return 200;
    });
    const { SubscribeCommand } = await import("@aws-sdk/client-sns");
    await client.send(
      new SubscribeCommand({ TopicArn: topicArn, Protocol: "http", Endpoint: subscriber.url }),
    );
    const question = await vi.waitFor(() => {
      if (questions[0] === undefined) throw new Error("not asked yet");
      return questions[0];
    });

    await expect(parseInvoicePaid(question, trust)).rejects.toEqual(failing("not_a_notification"));
    await expect(confirmSubscription(question, { ...trust, topicArns: [] })).rejects.toEqual(
      failing("untrusted_topic"),
    );
    const elsewhere = { ...JSON.parse(question), SubscribeURL: subscriber.url };
    await expect(confirmSubscription(elsewhere, trust)).rejects.toEqual(failing("forged"));

    expect(await confirmSubscription(question, trust)).toBe(topicArn);
    await client.send(new PublishCommand({ TopicArn: topicArn, Message: text }));
    expect(await parseInvoicePaid(await first(subscriber), trust)).toEqual([event]);
  });
});

describe("parseInvoicePaid, through SQS and Lambda", () => {
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
    ["the event itself", event],
  ])("reads %s", async (_, input) => {
    expect(await parseInvoicePaid(input)).toEqual([event]);
  });

  it("reads all records of a Lambda SQS event, in their order", async () => {
    const other = { ...event, subject: "ffffffff-ffff-4fff-8fff-ffffffffffff" };
    const Records = [{ body: text }, { body: JSON.stringify(other) }];

    expect(await parseInvoicePaid({ Records })).toEqual([event, other]);
  });

  it.each<[InvoicePaidErrorKind, unknown]>([
    ["unreadable", undefined],
    ["unreadable", null],
    ["unreadable", 7],
    ["unreadable", {}],
    ["unreadable", { body: "hello" }],
    ["unreadable", { Records: [{}] }],
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
  ])("says %s", async (kind, input) => {
    await expect(parseInvoicePaid(input)).rejects.toEqual(failing(kind));
  });

  it("says which fields are wrong, and nothing of what stands in them", async () => {
    const wrong = { ...event, data: { ...event.data, amount: "secret amount" } };

    await expect(parseInvoicePaid(wrong)).rejects.toThrow("data.amount");
    await expect(parseInvoicePaid(wrong)).rejects.not.toThrow("secret");
  });
});
