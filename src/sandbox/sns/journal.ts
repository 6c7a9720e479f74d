import { type Message, type MessageAttribute, sizeOf } from "./message.ts";
import type { Acceptance } from "./topics.ts";

/** A message that was accepted. */
export interface AcceptedMessage {
  readonly message: Message;
  readonly topicArn: string;
  readonly acceptance: Acceptance;
  readonly deduplicationId: string | undefined;
  /** ISO 8601, UTC. */
  readonly acceptedAt: string;
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

const MEBIBYTE = 1_048_576;

/** What an item takes besides its text, roughly, in bytes. */
const OVERHEAD = 500;

/** What happened, for those who look at it later: bounded in number and in bytes, and only in memory. */
export function createJournal(keep: number) {
  return {
    messages: new BoundedLog<AcceptedMessage>({
      keep,
      byteLimit: 256 * MEBIBYTE,
      sizeOf: ({ message }) => sizeOf(message) + OVERHEAD,
    }),
    deliveries: new BoundedLog<DeliveryRecord>({ keep, byteLimit: 64 * MEBIBYTE, sizeOf: () => OVERHEAD }),
  };
}

export type Journal = ReturnType<typeof createJournal>;

/** A log that shows its last `keep` items, and forgets the older half when it holds too many bytes. */
class BoundedLog<T> {
  readonly #bounds: { readonly keep: number; readonly byteLimit: number; sizeOf(item: T): number };
  #items: T[] = [];
  #bytes = 0;
  #added = 0;

  constructor(bounds: { keep: number; byteLimit: number; sizeOf(item: T): number }) {
    this.#bounds = bounds;
  }

  add(item: T): void {
    const { keep, byteLimit, sizeOf } = this.#bounds;
    this.#items.push(item);
    this.#bytes += sizeOf(item);
    this.#added += 1;
    if (this.#items.length <= 2 * keep && this.#bytes <= byteLimit) return;
    for (const old of this.#items.splice(0, this.#items.length >> 1)) this.#bytes -= sizeOf(old);
  }

  list(): T[] {
    return this.#items.slice(-this.#bounds.keep);
  }

  clear(): void {
    this.#items = [];
    this.#bytes = 0;
  }

  /** How many were added and are shown no more. */
  get forgotten(): number {
    return this.#added - Math.min(this.#items.length, this.#bounds.keep);
  }
}

/** A message as the control routes show it. */
export interface ShownMessage {
  topicArn: string;
  messageId: string;
  message: string;
  subject: string | undefined;
  messageAttributes: ReturnType<typeof showAttributes>;
  messageGroupId: string | undefined;
  messageDeduplicationId: string | undefined;
  sequenceNumber: string | undefined;
  acceptedAt: string;
  deduplicated: number;
}

export const showMessage = (accepted: AcceptedMessage): ShownMessage => ({
  topicArn: accepted.topicArn,
  messageId: accepted.acceptance.messageId,
  message: accepted.message.Message,
  subject: accepted.message.Subject,
  messageAttributes: showAttributes(accepted.message.MessageAttributes),
  messageGroupId: accepted.message.MessageGroupId,
  messageDeduplicationId: accepted.deduplicationId,
  sequenceNumber: accepted.acceptance.sequenceNumber,
  acceptedAt: accepted.acceptedAt,
  deduplicated: accepted.acceptance.deduplicated,
});

/** Message attributes as the envelope and the control routes spell them. */
export const showAttributes = (attributes: ReadonlyMap<string, MessageAttribute>) =>
  Object.fromEntries(
    Array.from(attributes, ([name, { type, value }]) => [name, { Type: type, Value: value }] as const),
  );
