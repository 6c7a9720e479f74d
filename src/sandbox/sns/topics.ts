import { randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import { jsonIn } from "../../platform/values/index.ts";
import { invalidParameter, SnsError } from "./protocol.ts";

const condition = z.union([z.string(), z.boolean(), z.null(), z.strictObject({ exists: z.boolean() })]);
const filterPolicy = z.record(z.string(), z.array(condition).min(1));

/** A policy that was checked: every key must match, by one of its conditions. */
type FilterPolicy = Readonly<z.output<typeof filterPolicy>>;

/** No keys let all through. @throws SnsError for what is no policy, and for what only a real SNS knows */
function readFilterPolicy(json: string): FilterPolicy {
  const policy = filterPolicy.safeParse(jsonIn(json)).data;
  if (policy !== undefined) return policy;
  throw invalidParameter(
    "Attributes Reason: FilterPolicy: it should be an object of lists; the local SNS compares texts, and knows " +
      "exists: true or false",
  );
}

/** Whether the policy lets a message with these attributes through. */
export function letsThrough(
  policy: FilterPolicy,
  attributes: ReadonlyMap<string, { readonly value: string }>,
): boolean {
  const rules = Object.entries(policy);
  // SNS: not even `exists: false` matches a message that has no attribute at all.
  if (attributes.size === 0) return rules.length === 0;
  return rules.every(([key, conditions]) => {
    const value = attributes.get(key)?.value;
    return conditions.some((one) =>
      typeof one === "object" && one !== null ? one.exists === (value !== undefined) : one === value,
    );
  });
}

/** Only what was set: what is missing has the default of SNS. */
type Attributes = ReadonlyMap<string, string>;

export interface Topic {
  readonly arn: string;
  readonly attributes: Attributes;
  /** Version 1 signs with SHA-1, version 2 with SHA-256. */
  readonly signatureVersion: string;
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
  readonly filterPolicy: FilterPolicy;
}

/** SNS' answer for a message that it took. */
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

  constructor(region: string) {
    this.#region = region;
    this.#prefix = `arn:aws:sns:${region}:${ACCOUNT_ID}:`;
  }

  /** Makes a topic, or returns the existing one. */
  create(name: string, attributes: Attributes): Topic {
    const isFifo = attributes.get("FifoTopic") === "true";
    const isNamed = isFifo ? /^[\w-]{1,251}\.fifo$/ : /^[\w-]{1,256}$/;
    if (!isNamed.test(name)) throw invalidParameter("Topic Name");
    const arn = this.#prefix + name;
    const existing = this.#topics.get(arn);
    if (existing !== undefined) return existing;
    const fifo = isFifo ? new FifoMemory() : undefined;
    const signatureVersion = attributes.get("SignatureVersion") ?? "1";
    const topic: Topic = { arn, attributes, signatureVersion, fifo, subscriptions: new Map() };
    this.#topics.set(arn, topic);
    return topic;
  }

  /** @throws SnsError `InvalidParameter` for what is no topic ARN of this region, `NotFound`. */
  get(arn: string): Topic {
    if (!new RegExp(`^arn:[^:]*:sns:${this.#region}:[^:]*:[^:]+$`).test(arn))
      throw invalidParameter("TopicArn");
    const topic = this.#topics.get(arn);
    if (topic === undefined) throw new SnsError("NotFound", "Topic does not exist");
    return topic;
  }

  /** A new subscription that waits for its confirmation, or the one that this endpoint has. */
  subscribe(topic: Topic, target: Pick<Subscription, "protocol" | "endpoint">, attributes: Attributes) {
    const existing = [...topic.subscriptions.values()].find(
      ({ protocol, endpoint }) => protocol === target.protocol && endpoint === target.endpoint,
    );
    if (existing !== undefined) return existing;
    const subscription: Subscription = {
      ...target,
      arn: `${topic.arn}:${randomUUID()}`,
      topicArn: topic.arn,
      token: randomBytes(144).toString("hex"),
      confirmed: false,
      filterPolicy: readFilterPolicy(attributes.get("FilterPolicy") || "{}"),
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
}

const WINDOW_MS = 5 * 60_000;

/** The memory of a FIFO topic: its sequence, and the deduplication ids of the last five minutes. */
class FifoMemory {
  // Insertion order is the order of time: ids to forget come first.
  readonly #seen = new Map<string, { readonly first: Acceptance; readonly at: number }>();
  #sequence = 0;

  firstOf(deduplicationId: string): Acceptance | undefined {
    for (const [id, { at }] of this.#seen) {
      if (at > Date.now() - WINDOW_MS) break;
      this.#seen.delete(id);
    }
    return this.#seen.get(deduplicationId)?.first;
  }

  remember(deduplicationId: string, first: Acceptance): void {
    this.#seen.set(deduplicationId, { first, at: Date.now() });
  }

  /** Twenty digits, larger for every later message. */
  nextSequenceNumber(): string {
    this.#sequence += 1;
    return `1${String(this.#sequence).padStart(19, "0")}`;
  }
}
