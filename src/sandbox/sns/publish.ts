import { createHash, randomUUID } from "node:crypto";
import { invalidParameter, SnsError } from "./answers.ts";
import { attributeOf } from "./attributes.ts";
import type { Delivery } from "./delivery.ts";
import type { Faults } from "./faults.ts";
import type { Journal } from "./journal.ts";
import { contentRefusal, groupRefusal, type Message, SIZE_LIMIT, sizeOf } from "./message.ts";
import type { Acceptance, Topic } from "./topics.ts";

type BatchEntry = Message & { readonly Id: string };

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

  function accept(topic: Topic, message: Message): Acceptance {
    const { fifo } = topic;
    const deduplicationId =
      message.MessageDeduplicationId ?? (fifo === undefined ? undefined : sha256(message.Message));
    const key = deduplicationId ?? "";
    const first = fifo?.firstOf(key);
    if (first !== undefined) {
      first.deduplicated += 1;
      return first;
    }
    const acceptance = {
      messageId: randomUUID(),
      sequenceNumber: fifo?.nextSequenceNumber(),
      deduplicated: 0,
    };
    fifo?.remember(key, acceptance);
    const acceptedAt = new Date(now()).toISOString();
    const accepted = { message, topicArn: topic.arn, acceptance, deduplicationId, acceptedAt };
    journal.messages.add(accepted);
    delivery.deliver(topic, accepted);
    return acceptance;
  }

  return {
    /** @throws SnsError when the message is refused. */
    publish(topic: Topic, message: Message): Acceptance {
      const refusal = contentRefusal(message) ?? groupRefusal(message, kindOf(topic));
      if (refusal !== undefined) throw refusal;
      if (sizeOf(message) > SIZE_LIMIT) throw invalidParameter("Message too long");
      const struck = faults.takeForMessage(topic.arn, message.Message);
      if (struck !== undefined) throw struck;
      return accept(topic, message);
    },

    /**
     * Publishes up to ten entries, each with its own outcome. SNS refuses the request as a whole for its size
     * and for what concerns groups; content is judged entry by entry.
     * @throws SnsError when the whole request is refused; nothing of it is published then.
     */
    publishBatch(topic: Topic, entries: readonly BatchEntry[]): EntryOutcome[] {
      if (entries.reduce((sum, entry) => sum + sizeOf(entry), 0) > SIZE_LIMIT)
        throw new SnsError(
          "BatchRequestTooLong",
          "The length of all the batch messages put together is more than the limit.",
        );
      for (const entry of entries) {
        const refusal = groupRefusal(entry, kindOf(topic));
        if (refusal !== undefined) throw refusal;
      }
      return entries.flatMap((entry) => {
        const refused = contentRefusal(entry) ?? faults.takeForMessage(topic.arn, entry.Message);
        if (refused !== undefined) return { id: entry.Id, refused };
        const accepted = accept(topic, entry);
        return faults.takeOmission(topic.arn, entry.Message) ? [] : { id: entry.Id, accepted };
      });
    },
  };
}

export type Publisher = ReturnType<typeof createPublisher>;

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const kindOf = ({ fifo, attributes }: Topic) => ({
  isFifo: fifo !== undefined,
  isContentBased: attributeOf(attributes, "ContentBasedDeduplication") === "true",
});
