import { createVerify, X509Certificate } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { startSubscriber, subscribe, topicFixture } from "./sns-fixture.ts";

/** Verifies as Amazon tells subscribers to: the fields are written out here, for each type of letter. */
async function hasValidSignature(letter: Record<string, string>): Promise<boolean> {
  const fields =
    letter.Type === "Notification"
      ? ["Message", "MessageId", ...(letter.Subject ? ["Subject"] : []), "Timestamp", "TopicArn", "Type"]
      : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
  const pem = await (await fetch(letter.SigningCertURL ?? "")).text();
  return createVerify(letter.SignatureVersion === "2" ? "RSA-SHA256" : "RSA-SHA1")
    .update(fields.map((field) => `${field}\n${letter[field]}\n`).join(""))
    .verify(new X509Certificate(pem).publicKey, letter.Signature ?? "", "base64");
}

const live = { DataType: "String", StringValue: "Live" };

describe("delivery to an HTTP endpoint", () => {
  it("posts the envelope and headers that Amazon documents", async () => {
    const { client, TopicArn, publish } = await topicFixture();
    const subscriber = await startSubscriber();
    const arn = await subscribe(client, TopicArn, subscriber);
    const { MessageId } = await publish({
      Message: `{"a":"\u00fc\n"}`,
      Subject: "Paid",
      MessageAttributes: { invoiceType: live },
    });
    await vi.waitFor(() => expect(subscriber.letters("Notification")).toHaveLength(1));
    expect(subscriber.letters("Notification")[0]).toEqual({
      Type: "Notification",
      MessageId,
      TopicArn,
      Subject: "Paid",
      Message: `{"a":"\u00fc\n"}`,
      Timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      SignatureVersion: "1",
      Signature: expect.any(String),
      SigningCertURL: expect.stringMatching(/\/SimpleNotificationService-[0-9a-f]+\.pem$/),
      MessageAttributes: { invoiceType: { Type: "String", Value: "Live" } },
    });
    expect(subscriber.received.at(-1)?.headers).toMatchObject({
      "content-type": "text/plain; charset=UTF-8",
      "x-amz-sns-message-type": "Notification",
      "x-amz-sns-message-id": MessageId,
      "x-amz-sns-topic-arn": TopicArn,
      "x-amz-sns-subscription-arn": arn,
    });
    expect(subscriber.received[0]?.headers).not.toHaveProperty("x-amz-sns-subscription-arn");
  });

  it.each(["1", "2"])("signs every letter, with SignatureVersion %s", async (SignatureVersion) => {
    const { client, TopicArn, publish } = await topicFixture({}, "events", { SignatureVersion });
    const subscriber = await startSubscriber();
    await subscribe(client, TopicArn, subscriber);
    await publish({ Message: "with", Subject: "Subject" });
    await publish({ Message: "without\nsubject" });
    await vi.waitFor(() => expect(subscriber.messages()).toHaveLength(2));
    const letters = subscriber.received.map(({ body }) => JSON.parse(String(body)) as Record<string, string>);
    for (const letter of letters) {
      expect(letter.SignatureVersion).toBe(SignatureVersion);
      expect(await hasValidSignature(letter)).toBe(true);
      expect(await hasValidSignature({ ...letter, Message: "forged" })).toBe(false);
    }
  });

  it("tries again after 503 and 429, under the same message id, until the endpoint takes it", async () => {
    const { sns, client, TopicArn, publish } = await topicFixture();
    const answers = [503, 429, 200];
    const subscriber = await startSubscriber(({ headers }) =>
      headers["x-amz-sns-message-type"] === "Notification" ? (answers.shift() ?? 200) : 200,
    );
    await subscribe(client, TopicArn, subscriber);
    const { MessageId } = await publish({ Message: "again" });
    const taken = { messageId: MessageId, outcome: "delivered", attempts: 3, status: 200 };
    await vi.waitFor(() => expect(sns.deliveries().at(-1)).toMatchObject(taken));
    const ids = subscriber.letters("Notification").map((letter) => letter.MessageId);
    expect(ids).toEqual([MessageId, MessageId, MessageId]);
  });
});
