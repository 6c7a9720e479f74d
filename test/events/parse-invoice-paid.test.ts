import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PublishCommand, SubscribeCommand } from "@aws-sdk/client-sns";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type InvoicePaidErrorKind, parseInvoicePaid } from "../../src/events/index.ts";
import { certificateAt, confirmSubscription, type Trust } from "../../src/events/verify-signature.ts";
import { stringToSign } from "../../src/sandbox/sns/delivery.ts";
import { snsFixture, startSubscriber } from "../sandbox/sns/sns-fixture.ts";
import { startServer } from "../support/own-server.ts";
import { testSigner } from "../support/signer.ts";

const text = readFileSync(join(import.meta.dirname, "published/v1/payloads/full.json"), "utf8");
const event = JSON.parse(text);

const NAMED =
  "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem";
const TOPIC = "arn:aws:sns:us-east-1:000000000000:invoice-events";
const ANOTHER = "arn:aws:sns:us-east-1:000000000000:another";

const signer = await testSigner();
const { certificatePem, certificatePath } = signer;
/** A host that has the signer's certificate under any path, and keeps what it was asked for. */
const asked: string[] = [];
const host = await startServer(({ url = "" }, response) => {
  asked.push(url);
  if (url.endsWith(certificatePath)) response.end(certificatePem);
  else response.writeHead(404).end();
});
afterAll(host.close);
const trust = { topicArns: [TOPIC], trustedOrigins: [host.url] };
const MISSING = `${host.url}${new URL(NAMED).pathname}`;

/** A notification as SNS signs and posts it. */
async function signed({
  at = Date.now(),
  version = "2" as "1" | "2",
  TopicArn = TOPIC,
  SigningCertURL = `${host.url}${certificatePath}`,
} = {}) {
  const envelope = {
    ...{ Type: "Notification", MessageId: randomUUID(), TopicArn, Message: text },
    Timestamp: new Date(at).toISOString(),
  };
  const Signature = await signer.sign(stringToSign(envelope), version);
  return { ...envelope, SignatureVersion: version, Signature, SigningCertURL };
}

const failing = (kind: InvoicePaidErrorKind, retry = false) => expect.objectContaining({ kind, retry });

describe("parseInvoicePaid", () => {
  it("reads what SNS signed with SHA-256", async () => {
    const message = await signed();
    for (const posted of [message, JSON.stringify(message), Buffer.from(JSON.stringify(message))])
      expect(await parseInvoicePaid(posted, trust)).toEqual([event]);
  });

  it("takes no SHA-1; once the topic signs otherwise, another delivery may help", async () => {
    const message = await signed({ version: "1" });
    await expect(parseInvoicePaid(message, trust)).rejects.toEqual(failing("weak_signature", true));
    const dressed = { ...message, SignatureVersion: "2" };
    await expect(parseInvoicePaid(dressed, trust)).rejects.toEqual(failing("forged"));
  });

  it.each([
    [-3_660_000, {}],
    [-1_800_000, { maxAgeSeconds: 600 }],
    [+600_000, {}],
  ])(
    "refuses what was signed %i ms from now with the limits %j, before it fetches anything",
    async (drift, limit) => {
      const message = await signed({ at: Date.now() + drift });
      const nowhere = { ...message, SigningCertURL: MISSING };
      for (const posted of [message, nowhere, { ...message, Timestamp: "soon" }])
        await expect(parseInvoicePaid(posted, { ...trust, ...limit })).rejects.toEqual(failing("stale"));
      if (drift < 0)
        expect(await parseInvoicePaid(message, { ...trust, maxAgeSeconds: 7_200 })).toEqual([event]);
    },
  );

  it("refuses what was changed, and a topic or a local SNS that is not named: anyone can have SNS sign", async () => {
    const message = await signed();
    const { Signature: _, ...unsigned } = message;
    for (const [posted, given, failure] of [
      [{ ...message, Message: text.replace("1500.50", "9500.50") }, trust, failing("forged")],
      [unsigned, trust, failing("forged")],
      [message, { ...trust, topicArns: [ANOTHER] }, failing("untrusted_topic")],
      [message, { topicArns: [TOPIC] }, failing("untrusted_certificate")],
      // Another delivery may help.
      [{ ...message, SigningCertURL: MISSING }, trust, failing("unreachable", true)],
    ] as const)
      await expect(parseInvoicePaid(posted, given)).rejects.toEqual(failure);
  });

  it.each([
    NAMED.replace("https", "http"),
    NAMED.replace(".com/", ".com.example.com/"),
    NAMED.replace("us-east-1", "anywhere-9"),
    NAMED.replace("//sns", "//s3.amazonaws.com/sns"),
    NAMED.replace("/Simple", "/somewhere/Simple"),
    "https://sns.us-east-1.amazonaws.com/certificate.pem",
    NAMED.replace(".pem", ".txt"),
    `${NAMED}X`,
    `${host.url}/Simple/certificate.pem`,
    `${NAMED}?1`,
    // Without a host: an origin without its scheme would match it.
    `data:,${encodeURIComponent(certificatePem)}${certificatePath}`,
  ])(
    "refuses a certificate that does not stand at SNS over https, and never asks for it: %.90s",
    async (url) => {
      const before = asked.length;
      const message = await signed({ SigningCertURL: url });
      const trusting = { ...trust, trustedOrigins: [host.url, "localhost:4566"] };
      await expect(parseInvoicePaid(message, trusting)).rejects.toEqual(failing("untrusted_certificate"));
      expect(asked).toHaveLength(before);
    },
  );

  it("takes a certificate under any path of an origin that is named, as LocalStack has it", async () => {
    const message = await signed({ SigningCertURL: `${host.url}/_aws/sns${certificatePath}` });
    expect(await parseInvoicePaid(message, trust)).toEqual([event]);
  });

  it.each([
    ["aws", "eu-west-1", "amazonaws.com"],
    ["aws-cn", "cn-north-1", "amazonaws.com.cn"],
    ["aws-eusc", "eusc-de-east-1", "amazonaws.eu"],
    ["aws-us-gov", "us-gov-west-1", "amazonaws.com"],
  ])(
    "takes the certificate of SNS where partition %s has it and nowhere else",
    async (partition, region, domain) => {
      const TopicArn = `arn:${partition}:sns:${region}:000000000000:invoice-events`;
      const fetching = vi
        .spyOn(globalThis, "fetch")
        .mockImplementation(async () => new Response(certificatePem));
      onTestFinished(() => fetching.mockRestore());
      for (const one of ["amazonaws.com", "amazonaws.com.cn", "amazonaws.eu"]) {
        const message = await signed({
          TopicArn,
          SigningCertURL: `https://sns.${region}.${one}${certificatePath}`,
        });
        const parsing = parseInvoicePaid(message, { topicArns: [TopicArn] });
        if (one === domain) expect(await parsing).toEqual([event]);
        else await expect(parsing).rejects.toEqual(failing("untrusted_certificate"));
      }
    },
  );

  // What TypeScript refuses, JavaScript does, and an environment variable that is not set.
  it.each([
    undefined,
    { trustedOrigins: [] },
    { topicArns: [] },
    { topicArns: ["arn:aws:sqs:us-east-1:000000000000:invoices"] },
  ])("is a fault of the program that trusts %j, whatever is posted", async (wrong) => {
    for (const posted of [await signed(), "hello", JSON.stringify(event)]) {
      await expect(parseInvoicePaid(posted, wrong as Trust)).rejects.toThrow(TypeError);
      await expect(confirmSubscription(posted, wrong as Trust)).rejects.toThrow(TypeError);
    }
  });

  it("refuses what nobody signed, dressed as an event, an SQS record or a Lambda event", async () => {
    for (const forged of [event, { body: text }, { Records: [{ body: text }] }])
      for (const posted of [forged, JSON.stringify(forged)])
        await expect(parseInvoicePaid(posted, trust)).rejects.toEqual(failing("unreadable"));
  });
});

it("confirmSubscription confirms the subscription to a topic that is named, which then delivers", async () => {
  const { sns, client, topic } = await snsFixture();
  const TopicArn = await topic("invoice-events", { SignatureVersion: "2" });
  const trusting = { topicArns: [TopicArn], trustedOrigins: [sns.url] };
  const subscriber = await startSubscriber();
  const first = (type: string) =>
    vi.waitFor(() => {
      expect(subscriber.letters(type)).not.toEqual([]);
      return subscriber.letters(type)[0];
    });
  await client.send(new SubscribeCommand({ TopicArn, Protocol: "http", Endpoint: subscriber.url }));
  const request = await first("SubscriptionConfirmation");
  await expect(parseInvoicePaid(request, trusting)).rejects.toEqual(failing("not_a_notification"));
  const other = confirmSubscription(request, { ...trusting, topicArns: [ANOTHER] });
  await expect(other).rejects.toEqual(failing("untrusted_topic"));
  const elsewhere = { ...request, SubscribeURL: subscriber.url };
  await expect(confirmSubscription(elsewhere, trusting)).rejects.toEqual(failing("forged"));
  expect(await confirmSubscription(request, trusting)).toBe(TopicArn);
  await client.send(new PublishCommand({ TopicArn, Message: text }));
  expect(await parseInvoicePaid(await first("Notification"), trusting)).toEqual([event]);
});

describe("the certificate at an address", () => {
  const at = (name: number | string) => `${host.url}/${name}${certificatePath}`;
  /** How many requests this makes. */
  const requestsOf = async (fetching: () => Promise<unknown>) => {
    const before = asked.length;
    await fetching();
    return asked.length - before;
  };

  it("is fetched once, however many messages come at once and afterwards", async () => {
    const many = () => Promise.all(Array.from({ length: 50 }, () => certificateAt(at("once"))));
    expect([await requestsOf(many), await requestsOf(many)]).toEqual([1, 0]);
  });

  it("is asked for again after it could not be fetched", async () => {
    const failed = () =>
      expect(certificateAt(`${MISSING}?again`)).rejects.toMatchObject({ kind: "unreachable" });
    expect([await requestsOf(failed), await requestsOf(failed)]).toEqual([1, 1]);
  });

  it("is forgotten, the oldest first, when many others are named (G8)", async () => {
    for (let number = 0; number <= 100; number += 1) await certificateAt(at(number));
    expect(await requestsOf(() => certificateAt(at(100)))).toBe(0);
    expect(await requestsOf(() => certificateAt(at(0)))).toBe(1);
  });
});
