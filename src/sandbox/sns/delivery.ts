import { Agent } from "undici";
import { messageOf } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import { textFor } from "./draft.ts";
import { type PostOutcome, postToEndpoint } from "./endpoint-post.ts";
import type { Envelopes, Letter } from "./envelope.ts";
import { matchesAttributes, matchesBody } from "./filter-match.ts";
import type { AcceptedMessage, DeliveryRecord, Journal } from "./journal.ts";
import { OrderedJobs } from "./ordered-jobs.ts";
import type { Subscription, Subscriptions } from "./subscriptions.ts";

/** Deliveries under way to one subscription. */
const CONCURRENCY = 16;

/**
 * What may wait for delivery, over all subscriptions: beyond it new deliveries are dropped, and recorded so.
 */
const MOST_WAITING = 100_000;
const MOST_WAITING_BYTES = 256 * 1_048_576;

interface Job {
  readonly subscription: Subscription;
  readonly letter: Letter;
  attempts: number;
}

/** Brings accepted messages to the confirmed subscriptions of their topic, and confirmations to endpoints. */
export function createDelivery(parts: {
  subscriptions: Subscriptions;
  envelopes: Envelopes;
  journal: Journal;
  now: () => number;
  /**
   * The pauses before the second attempt, the third and so on, in ms; after the last the delivery has failed.
   */
  retryDelaysMs: readonly number[];
  log: Logger | undefined;
}) {
  const { subscriptions, envelopes, journal, now, retryDelaysMs, log } = parts;
  const agent = new Agent({ connections: CONCURRENCY });
  const jobsOf = new Map<string, OrderedJobs<Job>>();
  let waiting = 0;
  let waitingBytes = 0;

  function send(subscription: Subscription, letter: Letter): void {
    const job = { subscription, letter, attempts: 0 };
    if (waiting >= MOST_WAITING || waitingBytes + letter.size > MOST_WAITING_BYTES) {
      record(job, "dropped", undefined);
      return;
    }
    waiting += 1;
    waitingBytes += letter.size;
    let jobs = jobsOf.get(subscription.arn);
    if (jobs === undefined) {
      jobs = new OrderedJobs<Job>({ concurrency: CONCURRENCY, run: attempt });
      jobsOf.set(subscription.arn, jobs);
    }
    jobs.add(job, letter.group);
  }

  async function attempt(job: Job): Promise<number | undefined> {
    const { subscription, letter } = job;
    const goodbye = letter.type === "UnsubscribeConfirmation";
    if (!goodbye && subscriptions.find(subscription.arn) === undefined) return settle(job);
    job.attempts += 1;
    const outcome = await post(subscription, letter);
    const pause = outcome.delivered || !outcome.mayRetry ? undefined : retryDelaysMs[job.attempts - 1];
    if (pause !== undefined) return pause;
    record(job, outcome.delivered ? "delivered" : "failed", outcome);
    return settle(job);
  }

  async function post(subscription: Subscription, letter: Letter): Promise<PostOutcome> {
    try {
      const body = await letter.write(subscription);
      return await postToEndpoint(agent, subscription.endpoint, headersOf(subscription, letter), body);
    } catch (error) {
      return { delivered: false, mayRetry: false, status: undefined, error: messageOf(error) };
    }
  }

  function settle({ subscription, letter }: Job): undefined {
    waiting -= 1;
    waitingBytes -= letter.size;
    if (subscriptions.find(subscription.arn) === undefined) jobsOf.delete(subscription.arn);
  }

  function record(job: Job, outcome: DeliveryRecord["outcome"], last: PostOutcome | undefined): void {
    const { subscription, letter } = job;
    const made: DeliveryRecord = {
      messageId: letter.messageId,
      type: letter.type,
      topicArn: letter.topicArn,
      subscriptionArn: subscription.arn,
      endpoint: subscription.endpoint,
      outcome,
      attempts: job.attempts,
      status: last?.status,
      error: last?.error,
      endedAt: new Date(now()).toISOString(),
    };
    journal.deliveries.add(made);
    if (outcome !== "delivered") {
      const { messageId, subscriptionArn, attempts, status, error } = made;
      log?.warn({ messageId, subscriptionArn, outcome, attempts, status, error }, "SNS delivery ended badly");
    }
  }

  return {
    /** Hands a message to every confirmed subscription whose filter lets it through. */
    deliver(message: AcceptedMessage, signatureVersion: string): void {
      let letter: Letter | undefined;
      for (const subscription of subscriptions.ofTopic(message.topicArn)) {
        if (!subscription.confirmed || !letsThrough(subscription, message)) continue;
        letter ??= envelopes.notification(message, signatureVersion);
        send(subscription, letter);
      }
    },
    /** Sends a confirmation, whether the subscription is confirmed or not. */
    send,
    async close(): Promise<void> {
      for (const jobs of jobsOf.values()) jobs.close();
      await agent.destroy();
    },
  };
}

export type Delivery = ReturnType<typeof createDelivery>;

function letsThrough({ protocol, settings }: Subscription, message: AcceptedMessage): boolean {
  if (settings.filterPolicy === undefined) return true;
  return settings.filterPolicyScope === "MessageBody"
    ? matchesBody(settings.filterPolicy, textFor(protocol, message))
    : matchesAttributes(settings.filterPolicy, message.attributes);
}

function headersOf(subscription: Subscription, letter: Letter): Record<string, string> {
  const raw = letter.type === "Notification" && subscription.settings.rawMessageDelivery;
  return {
    "x-amz-sns-message-type": letter.type,
    "x-amz-sns-message-id": letter.messageId,
    "x-amz-sns-topic-arn": letter.topicArn,
    ...(letter.type === "SubscriptionConfirmation" ? {} : { "x-amz-sns-subscription-arn": subscription.arn }),
    ...(raw ? { "x-amz-sns-rawdelivery": "true" } : {}),
  };
}
