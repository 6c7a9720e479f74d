import { createPrivateKey, randomUUID, sign, X509Certificate } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { messageOf } from "../../platform/errors/index.ts";
import type { Logger } from "../../platform/log/index.ts";
import { type AcceptedMessage, type DeliveryRecord, type Journal, showAttributes } from "./message.ts";
import { letsThrough, type Subscription, type Topic } from "./topics.ts";

/** Connections to one endpoint. */
const CONNECTIONS = 16;

const TIMEOUT_MS = 15_000;

type Outcome = Pick<DeliveryRecord, "outcome" | "status" | "error">;

/** Brings accepted messages to the confirmed subscriptions of their topic, and confirmations to endpoints. */
export function createDelivery(parts: {
  envelopes: Envelopes;
  journal: Journal;
  /** The pauses before the second attempt, the third and so on; after the last the delivery has failed. */
  retryDelaysMs: readonly number[];
  log: Logger | undefined;
}) {
  const { envelopes, journal, retryDelaysMs, log } = parts;
  const agent = new Agent({ connections: CONNECTIONS });
  const ending = new AbortController();

  /** Tries until the endpoint takes the letter, refuses it, or the pauses are used up; never rejects. */
  async function send(subscription: Subscription, letter: Letter): Promise<void> {
    for (let attempts = 1; ; attempts += 1) {
      if (ending.signal.aborted) return;
      const last = await post(subscription, letter);
      const pause = mayRetry(last) ? retryDelaysMs[attempts - 1] : undefined;
      if (pause === undefined) return record(subscription, letter, attempts, last);
      await sleep(pause, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
    }
  }

  async function post(subscription: Subscription, letter: Letter): Promise<Outcome> {
    try {
      const answer = await request(subscription.endpoint, {
        method: "POST",
        dispatcher: agent,
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
        headers: headersOf(subscription, letter),
        body: await letter.write(),
      });
      await answer.body.dump();
      const status = answer.statusCode;
      return { outcome: status >= 200 && status < 300 ? "delivered" : "failed", status, error: undefined };
    } catch (error) {
      return { outcome: "failed", status: undefined, error: messageOf(error) };
    }
  }

  function record(subscription: Subscription, letter: Letter, attempts: number, last: Outcome): void {
    const { type, messageId } = letter;
    const about = { type, messageId, endpoint: subscription.endpoint, attempts, ...last };
    journal.deliveries.add(about);
    if (last.outcome !== "delivered") log?.warn(about, "SNS delivery ended badly");
  }

  return {
    /** Delivers a message to every confirmed subscription whose filter lets it through. */
    deliver(topic: Topic, message: AcceptedMessage): void {
      const letter = envelopes.notification(message, topic.signatureVersion);
      for (const subscription of topic.subscriptions.values()) {
        const { confirmed, filterPolicy } = subscription;
        if (confirmed && letsThrough(filterPolicy, message.message.MessageAttributes))
          void send(subscription, letter);
      }
    },
    askToConfirm(topic: Topic, subscription: Subscription): void {
      const at = new Date().toISOString();
      void send(subscription, envelopes.confirmation(subscription, topic.signatureVersion, at));
    },
    async close(): Promise<void> {
      ending.abort();
      await agent.destroy();
    },
  };
}

export type Delivery = ReturnType<typeof createDelivery>;

/** SNS tries again after 5xx, 429, and where there was no answer. */
const mayRetry = ({ outcome, status = 500 }: Outcome) =>
  outcome === "failed" && (status >= 500 || status === 429);

const headersOf = (subscription: Subscription, letter: Letter) => ({
  "content-type": "text/plain; charset=UTF-8",
  "user-agent": "Amazon Simple Notification Service Agent",
  "x-amz-sns-message-type": letter.type,
  "x-amz-sns-message-id": letter.messageId,
  "x-amz-sns-topic-arn": letter.topicArn,
  ...(letter.type === "Notification" && {
    "x-amz-sns-subscription-arn": subscription.arn,
  }),
});

/** Signs messages as SNS does, with a key that lives as long as the process. */
export interface Signer {
  readonly certificatePem: string;
  /** Where the certificate is served, as a path. */
  readonly certificatePath: string;
  /** Version 1 signs with SHA-1, version 2 with SHA-256; the answer is Base64. */
  sign(text: string, version: string): Promise<string>;
}

/** Makes a key and a self-signed certificate for `sns.<region>.amazonaws.com`. */
export async function createSigner(region: string): Promise<Signer> {
  // Loaded on first use: it takes longer to load than all the rest here.
  const { generate } = await import("selfsigned");
  const made = await generate([{ name: "commonName", value: `sns.${region}.amazonaws.com` }], {
    keySize: 2048,
    algorithm: "sha256",
  });
  const key = createPrivateKey(made.private);
  // As long as SNS' own names are.
  const id = new X509Certificate(made.cert).fingerprint.replaceAll(":", "").toLowerCase().slice(0, 32);
  return {
    certificatePem: made.cert,
    certificatePath: `/SimpleNotificationService-${id}.pem`,
    sign: (text, version) =>
      new Promise((resolve, reject) => {
        // With a callback it is done by the thread pool, beside the answering of requests.
        sign(version === "2" ? "RSA-SHA256" : "RSA-SHA1", Buffer.from(text), key, (error, signature) =>
          error === null ? resolve(signature.toString("base64")) : reject(error),
        );
      }),
  };
}

interface Envelope {
  readonly Type: string;
  readonly [field: string]: unknown;
}

const SIGNED_FIELDS = {
  notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  confirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
};

/** The text that is signed: names and values of certain fields, a line each, by their names. */
export function stringToSign(envelope: Envelope): string {
  const names = SIGNED_FIELDS[envelope.Type === "Notification" ? "notification" : "confirmation"];
  return names
    .filter((name) => envelope[name] !== undefined)
    .map((name) => `${name}\n${String(envelope[name])}\n`)
    .join("");
}

interface Letter {
  readonly type: "Notification" | "SubscriptionConfirmation";
  readonly messageId: string;
  readonly topicArn: string;
  /** Made when it is needed, so that what waits does not wait in several copies. */
  write(): Promise<string>;
}

/** @param publicUrl where subscribers reach this endpoint, without a slash at its end; known once it listens */
export function createEnvelopes(signer: Signer, publicUrl: () => string) {
  const urlOf = (query: Record<string, string>) => `${publicUrl()}/?${new URLSearchParams(query)}`;

  async function seal(envelope: Envelope, version: string, rest: Record<string, unknown> = {}) {
    const signed = {
      ...envelope,
      SignatureVersion: version,
      Signature: await signer.sign(stringToSign(envelope), version),
      SigningCertURL: publicUrl() + signer.certificatePath,
      ...rest,
    };
    return JSON.stringify(signed, undefined, 2);
  }

  return {
    notification({ message, topicArn, acceptance, acceptedAt }: AcceptedMessage, version: string): Letter {
      const { messageId, sequenceNumber } = acceptance;
      return {
        type: "Notification",
        messageId,
        topicArn,
        async write() {
          const envelope = {
            Type: "Notification",
            MessageId: messageId,
            SequenceNumber: sequenceNumber,
            TopicArn: topicArn,
            Subject: message.Subject,
            Message: message.Message,
            Timestamp: acceptedAt,
          };
          const { MessageAttributes } = message;
          return await seal(envelope, version, {
            MessageAttributes: MessageAttributes.size === 0 ? undefined : showAttributes(MessageAttributes),
          });
        },
      };
    },

    confirmation({ topicArn, token }: Subscription, version: string, at: string): Letter {
      const messageId = randomUUID();
      const envelope = {
        Type: "SubscriptionConfirmation",
        MessageId: messageId,
        Token: token,
        TopicArn: topicArn,
        Message:
          `You have chosen to subscribe to the topic ${topicArn}.\nTo confirm the subscription, visit ` +
          "the SubscribeURL included in this message.",
        SubscribeURL: urlOf({ Action: "ConfirmSubscription", TopicArn: topicArn, Token: token }),
        Timestamp: at,
      };
      const write = () => seal(envelope, version);
      return { type: "SubscriptionConfirmation", messageId, topicArn, write };
    },
  };
}

type Envelopes = ReturnType<typeof createEnvelopes>;
