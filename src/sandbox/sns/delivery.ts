import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { messageOf } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import { attributeOf, isRaw } from "./attributes.ts";
import type { Envelopes, Letter } from "./envelope.ts";
import { letsThrough } from "./filter-policy.ts";
import type { AcceptedMessage, DeliveryRecord, Journal } from "./journal.ts";
import type { Subscription, Topic, Topics } from "./topics.ts";

const CONCURRENCY = 16;

/** What may wait for delivery, over all subscriptions: beyond it new deliveries are dropped, and recorded so. */
const WAITING_LIMIT = 100_000;

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
  const agent = new Agent();
  const ending = new AbortController();
  const turnsOf = new WeakMap<Subscription, Turns>();
  let waiting = 0;

  function send(subscription: Subscription, letter: Letter): void {
    if (waiting >= WAITING_LIMIT) {
      record(subscription, letter, 0, { outcome: "dropped", status: undefined, error: undefined });
      return;
    }
    waiting += 1;
    const turns = turnsOf.get(subscription) ?? new Turns();
    turnsOf.set(subscription, turns);
    void turns
      .afterGroup(letter.group, () => bring(subscription, letter, turns))
      .finally(() => {
        waiting -= 1;
      });
  }

  /** Tries until the endpoint takes the letter, refuses it, or the pauses are used up; never rejects. */
  async function bring(subscription: Subscription, letter: Letter, turns: Turns): Promise<void> {
    for (let attempts = 1; ; attempts += 1) {
      const last = await turns.take(async () => {
        if (ending.signal.aborted || topics.findSubscription(subscription.arn) === undefined)
          return undefined;
        return await post(subscription, letter);
      });
      if (last === undefined) return;
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
    const { type, messageId, topicArn } = letter;
    const about = { messageId, subscriptionArn: subscription.arn, attempts, ...last };
    const { endpoint } = subscription;
    journal.deliveries.add({ type, topicArn, endpoint, ...about, endedAt: new Date(now()).toISOString() });
    if (last.outcome !== "delivered") log?.warn(about, "SNS delivery ended badly");
  }

  return {
    /** Hands a message to every confirmed subscription whose filter lets it through. */
    deliver(topic: Topic, message: AcceptedMessage): void {
      const letter = envelopes.notification(message, attributeOf(topic.attributes, "SignatureVersion"));
      for (const subscription of topic.subscriptions.values()) {
        const { confirmed, filterPolicy = {} } = subscription;
        if (confirmed && letsThrough(filterPolicy, message.message.MessageAttributes))
          send(subscription, letter);
      }
    },
    askToConfirm(topic: Topic, subscription: Subscription): void {
      const version = attributeOf(topic.attributes, "SignatureVersion");
      send(subscription, envelopes.confirmation(subscription, version, new Date(now()).toISOString()));
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
    ...(isRaw(subscription.attributes) && { "x-amz-sns-rawdelivery": "true" }),
  }),
});

/** Lets so many work at once; those of one group one after the other, in the order they came. */
class Turns {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #lastOf = new Map<string, Promise<void>>();

  /** Waits for a free turn; a pause between two turns holds up nobody. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < CONCURRENCY) this.#running += 1;
    else await new Promise<void>((start) => this.#waiting.push(start));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  async afterGroup(group: string | undefined, work: () => Promise<void>): Promise<void> {
    if (group === undefined) return await work();
    const mine = (this.#lastOf.get(group) ?? Promise.resolve()).then(work);
    this.#lastOf.set(group, mine);
    await mine;
    if (this.#lastOf.get(group) === mine) this.#lastOf.delete(group);
  }
}
