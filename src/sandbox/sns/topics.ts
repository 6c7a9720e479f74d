import { randomBytes, randomUUID } from "node:crypto";
import { invalidParameter, SnsError } from "./answers.ts";
import {
  AMONG_ATTRIBUTES,
  type Attributes,
  checkSubscriptionAttributes,
  checkTopicAttributes,
  hasOther,
} from "./attributes.ts";
import { type FilterPolicy, readFilterPolicy } from "./filter-policy.ts";

export interface Topic {
  readonly arn: string;
  /** Only what was set: what is missing has the default of SNS. */
  attributes: Attributes;
  readonly fifo: FifoMemory | undefined;
  readonly subscriptions: Map<string, Subscription>;
}

export interface Subscription {
  readonly arn: string;
  readonly topicArn: string;
  readonly protocol: "http" | "https";
  readonly endpoint: string;
  readonly token: string;
  confirmed: boolean;
  attributes: Attributes;
  filterPolicy: FilterPolicy | undefined;
}

/** What SNS answers for a message that it took. */
export interface Acceptance {
  readonly messageId: string;
  /** Of FIFO topics only. */
  readonly sequenceNumber: string | undefined;
  /** How often the message came again within the deduplication window, and was swallowed. */
  deduplicated: number;
}

/** Whose topics they are, in ARNs and where SNS names the owner. */
export const ACCOUNT_ID = "000000000000";

/** The topics of one account in one region, with their subscriptions. */
export class Topics {
  readonly #topics = new Map<string, Topic>();
  readonly #region: string;
  readonly #prefix: string;
  readonly #now: () => number;

  constructor({ region, now }: { region: string; now: () => number }) {
    this.#region = region;
    this.#prefix = `arn:aws:sns:${region}:${ACCOUNT_ID}:`;
    this.#now = now;
  }

  /** Makes a topic, or gives the one that is there when it has these attributes. */
  create(name: string, attributes: Attributes): Topic {
    const isFifo = attributes.get("FifoTopic") === "true";
    const isNamed = isFifo ? /^[\w-]{1,251}\.fifo$/ : /^[\w-]{1,256}$/;
    if (!isNamed.test(name)) throw invalidParameter("Topic Name");
    checkTopicAttributes(attributes, isFifo, AMONG_ATTRIBUTES);
    const arn = this.#prefix + name;
    const existing = this.#topics.get(arn);
    if (existing !== undefined) {
      if (hasOther(existing.attributes, attributes))
        throw invalidParameter(`${AMONG_ATTRIBUTES}Topic already exists with different attributes`);
      return existing;
    }
    const fifo = isFifo ? new FifoMemory(this.#now) : undefined;
    const topic: Topic = { arn, attributes, fifo, subscriptions: new Map() };
    this.#topics.set(arn, topic);
    return topic;
  }

  /** @throws SnsError `InvalidParameter` for what is no topic ARN of this region, `NotFound`. */
  get(arn: string): Topic {
    this.#checkArn(arn);
    const topic = this.#topics.get(arn);
    if (topic === undefined) throw new SnsError("NotFound", "Topic does not exist");
    return topic;
  }

  list(): Topic[] {
    return [...this.#topics.values()];
  }

  /** Deleting what is not there succeeds, as in SNS. */
  delete(arn: string): void {
    this.#checkArn(arn);
    this.#topics.delete(arn);
  }

  /** A new subscription that waits for its confirmation, or the one that this endpoint has. */
  subscribe(topic: Topic, target: Pick<Subscription, "protocol" | "endpoint">, attributes: Attributes) {
    checkSubscriptionAttributes(attributes, AMONG_ATTRIBUTES);
    const existing = [...topic.subscriptions.values()].find(
      ({ protocol, endpoint }) => protocol === target.protocol && endpoint === target.endpoint,
    );
    if (existing !== undefined) {
      if (hasOther(existing.attributes, attributes))
        throw invalidParameter(`${AMONG_ATTRIBUTES}Subscription already exists with different attributes`);
      return existing;
    }
    const subscription: Subscription = {
      ...target,
      arn: `${topic.arn}:${randomUUID()}`,
      topicArn: topic.arn,
      token: randomBytes(144).toString("hex"),
      confirmed: false,
      attributes,
      filterPolicy: policyOf(attributes, AMONG_ATTRIBUTES),
    };
    topic.subscriptions.set(subscription.arn, subscription);
    return subscription;
  }

  /** @throws SnsError `InvalidParameter` for a token that was not made for this topic. */
  confirm(topic: Topic, token: string): Subscription {
    const subscription = [...topic.subscriptions.values()].find((one) => one.token === token);
    if (subscription === undefined) throw invalidParameter("Token");
    subscription.confirmed = true;
    return subscription;
  }

  /** @throws SnsError `InvalidParameter` for what is no ARN. */
  findSubscription(arn: string): Subscription | undefined {
    checkLength("SubscriptionArn", arn);
    return this.#topics.get(arn.slice(0, arn.lastIndexOf(":")))?.subscriptions.get(arn);
  }

  /** Ending what is not there succeeds, as in SNS. */
  unsubscribe(arn: string): void {
    const subscription = this.findSubscription(arn);
    if (subscription !== undefined) this.#topics.get(subscription.topicArn)?.subscriptions.delete(arn);
  }

  #checkArn(arn: string): void {
    if (arn === "") throw invalidParameter("TopicArn Reason: no value for required parameter");
    checkLength("TopicArn", arn);
    const parts = arn.split(":");
    if (parts.length > 6) throw invalidParameter("Topic Name");
    if (parts[0] !== "arn" || parts[2] !== "sns" || parts[3] !== this.#region)
      throw invalidParameter("TopicArn");
  }
}

/** @throws SnsError `InvalidParameter`; the subscription is as it was then. */
export function setSubscriptionAttribute(subscription: Subscription, name: string, value: string): void {
  checkSubscriptionAttributes(new Map([[name, value]]), "");
  const attributes = new Map(subscription.attributes).set(name, value);
  if (name === "FilterPolicy" && value === "") attributes.delete(name);
  subscription.filterPolicy = policyOf(attributes, "");
  subscription.attributes = attributes;
}

function policyOf(attributes: Attributes, where: string): FilterPolicy | undefined {
  const json = attributes.get("FilterPolicy");
  return json === undefined || json === "" ? undefined : readFilterPolicy(json, where);
}

function checkLength(parameter: string, arn: string): void {
  const { length } = arn.split(":");
  if (length < 6)
    throw invalidParameter(`${parameter} Reason: An ARN must have at least 6 elements, not ${length}`);
}

const WINDOW_MS = 5 * 60_000;

/** What a FIFO topic remembers: its sequence, and the deduplication ids of the last five minutes. */
class FifoMemory {
  // Insertion order is the order of time: whatever is to be forgotten stands in front.
  readonly #seen = new Map<string, { readonly first: Acceptance; readonly at: number }>();
  readonly #now: () => number;
  #sequence = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  firstOf(deduplicationId: string): Acceptance | undefined {
    for (const [id, { at }] of this.#seen) {
      if (at > this.#now() - WINDOW_MS) break;
      this.#seen.delete(id);
    }
    return this.#seen.get(deduplicationId)?.first;
  }

  remember(deduplicationId: string, first: Acceptance): void {
    this.#seen.set(deduplicationId, { first, at: this.#now() });
  }

  /** Twenty digits, larger for every later message. */
  nextSequenceNumber(): string {
    this.#sequence += 1;
    return `1${String(this.#sequence).padStart(19, "0")}`;
  }
}
