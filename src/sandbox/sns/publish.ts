import { createHash, randomUUID } from "node:crypto";
import type { Delivery } from "./delivery.ts";
import { contentRefusal, type Draft, groupRefusal, LARGEST } from "./draft.ts";
import { type Faults, refusalOf } from "./faults.ts";
import type { Journal } from "./journal.ts";
import { invalidParameter, SnsError } from "./sns-error.ts";
import { topicAttribute } from "./topic-attributes.ts";
import type { Topic } from "./topics.ts";

/** What SNS answers for a message that it took. */
export interface Acceptance {
  readonly messageId: string;
  /** Of FIFO topics only. */
  readonly sequenceNumber: string | undefined;
}

export interface BatchEntry {
  readonly id: string;
  readonly draft: Draft;
}

export type EntryOutcome = { readonly id: string } & (
  | { readonly accepted: Acceptance }
  | { readonly refused: SnsError }
);

/** The way of a message into a topic: checked, deduplicated, kept in the journal, handed to delivery. */
export function createPublisher(parts: {
  journal: Journal;
  delivery: Pick<Delivery, "deliver">;
  faults: Faults;
  now: () => number;
}) {
  const { journal, delivery, faults, now } = parts;

  function accept(topic: Topic, draft: Draft): Acceptance {
    const { fifo } = topic;
    const deduplicationId = draft.deduplicationId ?? (fifo === undefined ? undefined : sha256(draft.message));
    const window = deduplicationId === undefined ? undefined : windowOf(topic, draft, deduplicationId);
    const first = window === undefined ? undefined : fifo?.firstOf(window);
    if (first !== undefined) {
      const kept = journal.messages.at(first.place);
      if (kept !== undefined) kept.deduplicated += 1;
      return first;
    }
    const message = {
      ...draft,
      topicArn: topic.arn,
      messageId: randomUUID(),
      sequenceNumber: fifo?.nextSequenceNumber(),
      deduplicationId,
      acceptedAt: new Date(now()).toISOString(),
      deduplicated: 0,
    };
    const place = journal.messages.add(message);
    const { messageId, sequenceNumber } = message;
    if (fifo !== undefined && window !== undefined && sequenceNumber !== undefined) {
      fifo.remember(window, { messageId, sequenceNumber, place });
    }
    delivery.deliver(message, topicAttribute(topic.attributes, "SignatureVersion"));
    return { messageId, sequenceNumber };
  }

  return {
    /** @throws SnsError when the message is refused. */
    publish(topic: Topic, draft: Draft): Acceptance {
      const refusal = contentRefusal(draft) ?? groupRefusal(draft, kindOf(topic));
      if (refusal !== undefined) throw refusal;
      if (draft.size > LARGEST) throw invalidParameter("Message too long");
      const fault = faults.takeForMessage(topic.arn, draft.message);
      if (fault !== undefined) throw refusalOf(fault);
      return accept(topic, draft);
    },

    /**
     * Publishes up to ten entries, each with its own outcome. SNS refuses the request as a whole for its size
     * and for what concerns groups; content is judged entry by entry.
     * @throws SnsError when the whole request is refused; nothing of it is published then.
     */
    publishBatch(topic: Topic, entries: readonly BatchEntry[]): EntryOutcome[] {
      const size = entries.reduce((sum, { draft }) => sum + draft.size, 0);
      if (size > LARGEST) {
        throw new SnsError(
          "BatchRequestTooLong",
          "The length of all the batch messages put together is more than the limit.",
        );
      }
      for (const { draft } of entries) {
        const refusal = groupRefusal(draft, kindOf(topic));
        if (refusal !== undefined) throw refusal;
      }
      return entries.flatMap(({ id, draft }) => {
        const refused = contentRefusal(draft);
        if (refused !== undefined) return { id, refused };
        const fault = faults.takeForMessage(topic.arn, draft.message);
        if (fault !== undefined) return { id, refused: refusalOf(fault) };
        const accepted = accept(topic, draft);
        return faults.takeOmission(topic.arn, draft.message) ? [] : { id, accepted };
      });
    },
  };
}

export type Publisher = ReturnType<typeof createPublisher>;

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const kindOf = (topic: Topic) => ({
  fifo: topic.fifo !== undefined,
  contentBased: topicAttribute(topic.attributes, "ContentBasedDeduplication") === "true",
});

/** Deduplication ids are counted per topic, or per group where the topic is made so. */
function windowOf(topic: Topic, draft: Draft, deduplicationId: string): string {
  const perGroup = topicAttribute(topic.attributes, "FifoThroughputScope") === "MessageGroup";
  return perGroup ? `${draft.groupId} ${deduplicationId}` : deduplicationId;
}
