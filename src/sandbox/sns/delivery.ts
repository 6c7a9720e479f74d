import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { messageOf } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import type { Envelopes, Letter } from "./envelope.ts";
import { letsThrough } from "./filter-policy.ts";
import type { AcceptedMessage, DeliveryRecord, Journal } from "./journal.ts";
import type { Subscription, Topic, Topics } from "./topics.ts";

/** Connections to one endpoint. */
const CONNECTIONS = 16;

const TIMEOUT_MS = 15_000;

type Outcome = Pick<DeliveryRecord, "outcome" | "status" | "error">;

/** Brings accepted messages to the confirmed subscriptions of their topic, and confirmations to endpoints. */
export function createDelivery(parts: {
  topics: Topics;
  envelopes: Envelopes;
  journal: Journal;
  now: () => number;
  /** The pauses before the second attempt, the third and so on; after the last the delivery has failed. */
  retryDelaysMs: readonly number[];
  log: Logger | undefined;
}) {
  const { topics, envelopes, journal, now, retryDelaysMs, log } = parts;
  const agent = new Agent({ connections: CONNECTIONS });
  const ending = new AbortController();

  /** Tries until the endpoint takes the letter, refuses it, or the pauses are used up; never rejects. */
  async function send(subscription: Subscription, letter: Letter): Promise<void> {
    for (let attempts = 1; ; attempts += 1) {
      if (ending.signal.aborted || topics.findSubscription(subscription.arn) === undefined) return;
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
        body: await letter.write(subscription),
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
    /** Hands a message to every confirmed subscription whose filter lets it through. */
    deliver(topic: Topic, message: AcceptedMessage): void {
      const letter = envelopes.notification(message, topic.signatureVersion);
      for (const subscription of topic.subscriptions.values()) {
        const { confirmed, filterPolicy } = subscription;
        if (confirmed && letsThrough(filterPolicy, message.message.MessageAttributes))
          void send(subscription, letter);
      }
    },
    askToConfirm(topic: Topic, subscription: Subscription): void {
      const at = new Date(now()).toISOString();
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
    ...(subscription.raw && { "x-amz-sns-rawdelivery": "true" }),
  }),
});
