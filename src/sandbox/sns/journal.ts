import { type BoundedLog, createBoundedLog } from "./bounded-log.ts";
import type { Draft } from "./draft.ts";

const MEBIBYTE = 1_048_576;

/** What an item of the log takes besides its text, roughly, in bytes. */
const OVERHEAD = 500;

/** A message that was accepted. */
export interface AcceptedMessage extends Draft {
  readonly topicArn: string;
  readonly messageId: string;
  /** Of FIFO topics only. */
  readonly sequenceNumber: string | undefined;
  /** ISO 8601, UTC. */
  readonly acceptedAt: string;
  /** How often SNS swallowed it again within the deduplication window. */
  deduplicated: number;
}

/** What became of one message at one subscription. */
export interface DeliveryRecord {
  readonly messageId: string;
  readonly type: string;
  readonly topicArn: string;
  readonly subscriptionArn: string;
  readonly endpoint: string;
  /** `failed`: the endpoint never took it; `dropped`: too many deliveries were waiting. */
  readonly outcome: "delivered" | "failed" | "dropped";
  readonly attempts: number;
  /** The last HTTP status; undefined when there was none. */
  readonly status: number | undefined;
  readonly error: string | undefined;
  /** ISO 8601, UTC. */
  readonly endedAt: string;
}

export interface Journal {
  readonly messages: BoundedLog<AcceptedMessage>;
  readonly deliveries: BoundedLog<DeliveryRecord>;
}

/** What happened, for those who look at it later: bounded in number and in bytes, and only in memory. */
export function createJournal(keep: number): Journal {
  return {
    messages: createBoundedLog({
      most: keep,
      mostWeight: 256 * MEBIBYTE,
      weigh: (message) => message.size + OVERHEAD,
    }),
    deliveries: createBoundedLog({ most: keep, mostWeight: 64 * MEBIBYTE, weigh: () => OVERHEAD }),
  };
}

/** A message as the control routes show it. */
export interface ShownMessage {
  topicArn: string;
  messageId: string;
  message: string;
  subject: string | undefined;
  messageAttributes: Record<string, { Type: string; Value: string }>;
  messageGroupId: string | undefined;
  messageDeduplicationId: string | undefined;
  sequenceNumber: string | undefined;
  acceptedAt: string;
  deduplicated: number;
  /**
   * How many kept messages of this topic have the same `id` attribute, itself included; undefined without
   * one.
   */
  sameId: number | undefined;
}

/** The kept messages of a topic (of all when it is left out), oldest first; of them the last `last`. */
export function* shownMessages(
  journal: Journal,
  topicArn?: string,
  last = Number.POSITIVE_INFINITY,
): Generator<ShownMessage> {
  const messages = journal.messages
    .list()
    .filter((message) => topicArn === undefined || message.topicArn === topicArn);
  const keyOf = (message: AcceptedMessage) => `${message.topicArn} ${message.attributes.get("id")?.value}`;
  const counts = new Map<string, number>();
  for (const message of messages) counts.set(keyOf(message), (counts.get(keyOf(message)) ?? 0) + 1);
  for (const message of messages.slice(-last)) {
    yield {
      topicArn: message.topicArn,
      messageId: message.messageId,
      message: message.message,
      subject: message.subject,
      messageAttributes: shownAttributes(message),
      messageGroupId: message.groupId,
      messageDeduplicationId: message.deduplicationId,
      sequenceNumber: message.sequenceNumber,
      acceptedAt: message.acceptedAt,
      deduplicated: message.deduplicated,
      sameId: message.attributes.has("id") ? counts.get(keyOf(message)) : undefined,
    };
  }
}

/** Message attributes as the envelope and the control routes spell them. */
export function shownAttributes(
  message: Pick<Draft, "attributes">,
): Record<string, { Type: string; Value: string }> {
  return Object.fromEntries(
    [...message.attributes].map(([name, { type, value }]) => [name, { Type: type, Value: value }]),
  );
}
