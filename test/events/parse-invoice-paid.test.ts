import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PublishCommand, SubscribeCommand } from "@aws-sdk/client-sns";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { InvoicePaidErrorKind } from "../../src/events/invoice-paid-error.ts";
import { parseInvoicePaid } from "../../src/events/parse-invoice-paid.ts";
import { confirmSubscription, type Trust } from "../../src/events/verify-signature.ts";
import { stringToSign } from "../../src/sandbox/sns/delivery.ts";
import { type Subscriber, snsFixture, startSubscriber, subscribe } from "../sandbox/sns/sns-fixture.ts";
import { startServer } from "../support/own-server.ts";
import { testSigner } from "../support/signer.ts";

const text = readFileSync(join(import.meta.dirname, "published/v1/payloads/full.json"), "utf8");
const event = JSON.parse(text);

const NAMED =
  "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem";

const missingAt = ({ trustedOrigins: [origin] }: { trustedOrigins: readonly string[] }) =>
  `${origin}${new URL(NAMED).pathname}`;

const failing = (kind: InvoicePaidErrorKind, retry = false) => expect.objectContaining({ kind, retry });

/** A notification as a local SNS signs and posts it, and what an endpoint of its topic trusts. */
async function notification({
  topicAttributes = { SignatureVersion: "2" },
  message = text,
  now = Date.now,
} = {}) {
  const { sns, client, topic } = await snsFixture({ now });
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

/** A message that this machine's key signed for a topic of a region. @returns it, and the topic's ARN */
async function signedFor(partition: string, region: string, fields: { SigningCertURL: string }) {
  const TopicArn = `arn:${partition}:sns:${region}:000000000000:invoice-events`;
  const envelope = {
    ...{ Type: "Notification", MessageId: randomUUID(), TopicArn, Message: text },
    Timestamp: new Date().toISOString(),
  };
  const Signature = await (await testSigner()).sign(stringToSign(envelope), "2");
  return [{ ...envelope, SignatureVersion: "2", Signature, ...fields }, TopicArn] as const;
}

async function first(subscriber: Subscriber, type = "Notification"): Promise<string> {
  await vi.waitFor(() => expect(subscriber.letters(type)).not.toEqual([]), { interval: 5 });
  return JSON.stringify(subscriber.letters(type)[0]);
}

describe("parseInvoicePaid", () => {
  it("reads what SNS signed with SHA-256", async () => {
    const { body, trust } = await notification();

    expect(JSON.parse(body).SignatureVersion).toBe("2");
    expect(await parseInvoicePaid(body, trust)).toEqual([event]);
    expect(await parseInvoicePaid(Buffer.from(body), trust)).toEqual([event]);
    expect(await parseInvoicePaid(JSON.parse(body), trust)).toEqual([event]);
  });

  it("takes SHA-1 only when it is told to; until then another delivery may help", async () => {
    const { body, trust } = await notification({ topicAttributes: { SignatureVersion: "1" } });

    expect(JSON.parse(body).SignatureVersion).toBe("1");
    await expect(parseInvoicePaid(body, trust)).rejects.toEqual(failing("weak_signature", true));
    expect(await parseInvoicePaid(body, { ...trust, allowSha1: true })).toEqual([event]);
    const dressed = { ...JSON.parse(body), SignatureVersion: "2" };
    await expect(parseInvoicePaid(dressed, { ...trust, allowSha1: true })).rejects.toEqual(failing("forged"));
  });

  it("refuses what was signed more than an hour ago, or for the future, before it fetches anything", async () => {
    const HOUR_MS = 3_600_000;
    for (const [drift, limit] of [
      [-HOUR_MS - 60_000, {}],
      [-HOUR_MS / 2, { maxAgeSeconds: 600 }],
      [+600_000, {}],
    ] as const) {
      const { body, trust } = await notification({ now: () => Date.now() + drift });
      const message = JSON.parse(body);
      const nowhere = { ...message, SigningCertURL: missingAt(trust) };
      for (const posted of [body, nowhere, { ...message, Timestamp: "soon" }])
        await expect(parseInvoicePaid(posted, { ...trust, ...limit })).rejects.toEqual(failing("stale"));
      if (drift < 0)
        expect(await parseInvoicePaid(body, { ...trust, maxAgeSeconds: 7_200 })).toEqual([event]);
    }
  });

  it("refuses what was changed, and a topic or a local SNS that is not named: anyone can have SNS sign", async () => {
    const { body, trust } = await notification();
    const message = JSON.parse(body);
    const { Signature: _, ...unsigned } = message;
    const topicArns = ["arn:aws:sns:us-east-1:000000000000:another"];
    const missing = { ...message, SigningCertURL: missingAt(trust) };
    for (const [posted, given, failure] of [
      [{ ...message, Message: text.replace("1500.50", "9500.50") }, trust, failing("forged")],
      [unsigned, trust, failing("forged")],
      [message, { ...trust, topicArns }, failing("untrusted_topic")],
      [message, { topicArns: trust.topicArns }, failing("untrusted_certificate")],
      // Another delivery may help.
      [missing, trust, failing("unreachable", true)],
    ] as const)
      await expect(parseInvoicePaid(posted, given)).rejects.toEqual(failure);
  });

  it("refuses a certificate that does not stand at SNS over https, and never asks for it", async () => {
    const { body, trust, subscriber } = await notification();
    const before = subscriber.received.length;
    for (const SigningCertURL of [
      `${subscriber.url}${new URL(NAMED).pathname}`,
      NAMED.replace("https", "http"),
      NAMED.replace(".com/", ".com.example.com/"),
      NAMED.replace(".com/", ".com:8443/"),
      NAMED.replace("us-east-1", "anywhere-9"),
      NAMED.replace(".com/", ".com.cn/"),
      NAMED.replace(".com/", ".eu/"),
      NAMED.replace("//sns", "//someone@sns"),
      NAMED.replace("//sns", "//s3.amazonaws.com/sns"),
      NAMED.replace("/Simple", "/somewhere/Simple"),
      "https://sns.us-east-1.amazonaws.com/certificate.pem",
      NAMED.replace(".pem", ".txt"),
      `${NAMED}X`,
      `${trust.trustedOrigins[0]}/Simple/certificate.pem`,
      `${NAMED}?1`,
      `${NAMED}#1`,
      `${missingAt(trust)}?1`,
      "no address",
    ]) {
      const moved = { ...JSON.parse(body), SigningCertURL };
      await expect(parseInvoicePaid(moved, trust), SigningCertURL).rejects.toEqual(
        failing("untrusted_certificate"),
      );
    }
    expect(subscriber.received).toHaveLength(before);
  });

  it("takes a certificate under any path of an origin that is named, as LocalStack has it", async () => {
    const { certificatePem, certificatePath } = await testSigner();
    const { url, close } = await startServer((request, response) =>
      request.url === `/_aws/sns${certificatePath}`
        ? response.end(certificatePem)
        : response.writeHead(404).end(),
    );
    onTestFinished(close);
    const SigningCertURL = `${url}/_aws/sns${certificatePath}`;
    const [body, topicArn] = await signedFor("aws", "us-east-1", { SigningCertURL });

    expect(await parseInvoicePaid(body, { topicArns: [topicArn], trustedOrigins: [url] })).toEqual([event]);
  });

  it("fetches nothing from an address without a host, even where an origin is named without its scheme", async () => {
    const { certificatePem, certificatePath } = await testSigner();
    const SigningCertURL = `data:,${encodeURIComponent(certificatePem)}${certificatePath}`;
    const [body, topicArn] = await signedFor("aws", "us-east-1", { SigningCertURL });
    const trust = { topicArns: [topicArn], trustedOrigins: ["localhost:4566"] };

    await expect(parseInvoicePaid(body, trust)).rejects.toEqual(failing("untrusted_certificate"));
  });

  it.each([
    ["aws", "eu-west-1", "amazonaws.com"],
    ["aws-cn", "cn-north-1", "amazonaws.com.cn"],
    ["aws-eusc", "eusc-de-east-1", "amazonaws.eu"],
    ["aws-us-gov", "us-gov-west-1", "amazonaws.com"],
  ])(
    "takes SNS' certificate where partition %s keeps it, and nowhere else",
    async (partition, region, domain) => {
      const { certificatePem, certificatePath } = await testSigner();
      const at = (host: string) => ({ SigningCertURL: `https://sns.${region}.${host}${certificatePath}` });
      const [body, topicArn] = await signedFor(partition, region, at(domain));
      const trust = { topicArns: [topicArn], certificates: [certificatePem] };
      expect(await parseInvoicePaid(body, trust)).toEqual([event]);
      for (const other of ["amazonaws.com", "amazonaws.com.cn", "amazonaws.eu"].filter(
        (one) => one !== domain,
      ))
        await expect(parseInvoicePaid({ ...body, ...at(other) }, trust)).rejects.toEqual(
          failing("untrusted_certificate"),
        );
    },
  );

  it("takes the first genuine message beside forged ones that name ever other certificates", async () => {
    const { body, trust } = await notification();
    const forged = Array.from({ length: 200 }, () => ({
      ...JSON.parse(body),
      Message: "forged",
      SigningCertURL: `${trust.trustedOrigins[0]}/SimpleNotificationService-${randomUUID().replaceAll("-", "")}.pem`,
    }));

    const refused = Promise.allSettled(forged.map((message) => parseInvoicePaid(message, trust)));
    expect(await parseInvoicePaid(body, trust)).toEqual([event]);
    for (const answer of await refused) expect(answer.status).toBe("rejected");
  });

  it("fetches nothing for what a certificate signed that the program holds", async () => {
    const { body, trust } = await notification();
    const { SigningCertURL } = JSON.parse(body);
    const pem = await (await fetch(SigningCertURL)).text();
    const elsewhere = {
      ...JSON.parse(body),
      SigningCertURL: `https://sns.us-east-1.amazonaws.com${new URL(SigningCertURL).pathname}`,
    };
    const holding = { topicArns: trust.topicArns, certificates: [pem] };

    expect(await parseInvoicePaid(elsewhere, holding)).toEqual([event]);
    await expect(parseInvoicePaid(body, { ...trust, certificates: ["no PEM"] })).rejects.toThrow(TypeError);
  });

  // What TypeScript refuses, JavaScript does, and an environment variable that is not set.
  it("is a fault of the program without topicArns, whatever is posted", async () => {
    const { body } = await notification();
    const given = [
      undefined,
      { trustedOrigins: [] },
      { topicArns: [] },
      { topicArns: [""] },
      { topicArns: ["arn:aws:sqs:us-east-1:000000000000:invoices"] },
    ] as Trust[];

    for (const trust of given)
      for (const posted of [body, "hello", JSON.stringify(event)]) {
        await expect(parseInvoicePaid(posted, trust)).rejects.toThrow(TypeError);
        await expect(confirmSubscription(posted, trust)).rejects.toThrow(/topicArns/);
      }
  });

  it("refuses what nobody signed, dressed as an event, an SQS record or a Lambda event", async () => {
    const topicArns = ["arn:aws:sns:us-east-1:000000000000:invoice-events"];
    for (const forged of [event, { body: text }, { Records: [{ body: text }] }]) {
      for (const posted of [forged, JSON.stringify(forged), Buffer.from(JSON.stringify(forged))])
        await expect(parseInvoicePaid(posted, { topicArns })).rejects.toEqual(failing("unreadable"));
    }
  });
});

describe("confirmSubscription", () => {
  it("confirms the subscription to a topic that is named, which then delivers", async () => {
    const { sns, client, topic } = await snsFixture();
    const topicArn = await topic("invoice-events", { SignatureVersion: "2" });
    const trust = { topicArns: [topicArn], trustedOrigins: [sns.url] };
    const subscriber = await startSubscriber();
    await client.send(
      new SubscribeCommand({ TopicArn: topicArn, Protocol: "http", Endpoint: subscriber.url }),
    );
    const request = await first(subscriber, "SubscriptionConfirmation");

    await expect(parseInvoicePaid(request, trust)).rejects.toEqual(failing("not_a_notification"));
    const topicArns = ["arn:aws:sns:us-east-1:000000000000:another"];
    await expect(confirmSubscription(request, { ...trust, topicArns })).rejects.toEqual(
      failing("untrusted_topic"),
    );
    const elsewhere = { ...JSON.parse(request), SubscribeURL: subscriber.url };
    await expect(confirmSubscription(elsewhere, trust)).rejects.toEqual(failing("forged"));

    expect(await confirmSubscription(request, trust)).toBe(topicArn);
    await client.send(new PublishCommand({ TopicArn: topicArn, Message: text }));
    expect(await parseInvoicePaid(await first(subscriber), trust)).toEqual([event]);
  });
});
