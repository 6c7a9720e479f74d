import type { Message, MessageAttribute } from "./message.ts";
import type { Acceptance } from "./topics.ts";

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
  readonly endpoint: string;
  /** `failed`: the endpoint never took it. */
  readonly outcome: "delivered" | "failed";
  readonly attempts: number;
  /** The last HTTP status; undefined when there was none. */
  readonly status: number | undefined;
  readonly error: string | undefined;
}

/** What happened, for those who look at it later: the last `keep` of each kind, and only in memory. */
export const createJournal = (keep: number) => ({
  messages: new LastItems<AcceptedMessage>(keep),
  deliveries: new LastItems<DeliveryRecord>(keep),
});

export type Journal = ReturnType<typeof createJournal>;

class LastItems<T> {
  readonly #keep: number;
  #items: T[] = [];

  constructor(keep: number) {
    this.#keep = keep;
  }

  add(item: T): void {
    this.#items.push(item);
    if (this.#items.length > 2 * this.#keep) this.#items = this.list();
  }

  list(): T[] {
    return this.#items.slice(-this.#keep);
  }

  clear(): void {
    this.#items = [];
  }
}

export const showMessage = (accepted: AcceptedMessage) => ({
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
