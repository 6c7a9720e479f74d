import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import { element, invalidParameter, listElement, SnsError } from "./answers.ts";
import type { Delivery } from "./delivery.ts";
import type { Faults } from "./faults.ts";
import { members, type Operation, operation, text } from "./form.ts";
import type { Journal } from "./journal.ts";
import { contentRefusal, groupRefusal, type Message, messageFields, SIZE_LIMIT, sizeOf } from "./message.ts";
import type { Acceptance, Topic, Topics } from "./topics.ts";

const ENTRY_LIMIT = 10;

/** The way of a message into a topic: checked, deduplicated, kept in the journal, handed to delivery. */
export function publishOperations(parts: {
  topics: Topics;
  journal: Journal;
  delivery: Delivery;
  faults: Faults;
  now: () => number;
}): Readonly<Record<"Publish" | "PublishBatch", Operation>> {
  const { topics, journal, delivery, faults, now } = parts;

  /** @returns the XML that names it. */
  function accept(topic: Topic, message: Message): string {
    const { fifo } = topic;
    const deduplicationId =
      message.MessageDeduplicationId ?? (fifo === undefined ? undefined : sha256(message.Message));
    const key = deduplicationId ?? "";
    const first = fifo?.firstOf(key);
    if (first !== undefined) {
      first.deduplicated += 1;
      return accepted(first);
    }
    const acceptance = {
      messageId: randomUUID(),
      sequenceNumber: fifo?.nextSequenceNumber(),
      deduplicated: 0,
    };
    fifo?.remember(key, acceptance);
    const acceptedAt = new Date(now()).toISOString();
    const kept = { message, topicArn: topic.arn, acceptance, deduplicationId, acceptedAt };
    journal.messages.add(kept);
    delivery.deliver(topic, kept);
    return accepted(acceptance);
  }

  return {
    Publish: operation({ TopicArn: text, ...messageFields }, ({ TopicArn, ...message }) => {
      const topic = topics.get(TopicArn);
      const refusal = contentRefusal(message) ?? groupRefusal(message, topic);
      if (refusal !== undefined) throw refusal;
      if (sizeOf(message) > SIZE_LIMIT) throw invalidParameter("Message too long");
      const struck = faults.takeForMessage(topic.arn, message.Message);
      if (struck !== undefined) throw struck;
      return accept(topic, message);
    }),

    // SNS refuses the request as a whole for its size and for what concerns groups; content is judged entry by
    // entry.
    PublishBatch: operation(
      { TopicArn: text, PublishBatchRequestEntries: members(z.object({ Id: text, ...messageFields })) },
      ({ TopicArn, PublishBatchRequestEntries: entries }) => {
        checkBatch(entries.map(({ Id }) => Id));
        const topic = topics.get(TopicArn);
        if (entries.reduce((sum, entry) => sum + sizeOf(entry), 0) > SIZE_LIMIT)
          throw new SnsError(
            "BatchRequestTooLong",
            "The length of all the batch messages put together is more than the limit.",
          );
        for (const entry of entries) {
          const refusal = groupRefusal(entry, topic);
          if (refusal !== undefined) throw refusal;
        }
        const successful: string[] = [];
        const failed: string[] = [];
        for (const entry of entries) {
          const id = element("Id", entry.Id);
          const refused = contentRefusal(entry) ?? faults.takeForMessage(topic.arn, entry.Message);
          if (refused !== undefined) {
            failed.push(id + refusedEntry(refused));
            continue;
          }
          const answer = accept(topic, entry);
          if (!faults.takeOmission(topic.arn, entry.Message)) successful.push(id + answer);
        }
        return listElement("Successful", successful) + listElement("Failed", failed);
      },
    ),
  };
}

const accepted = ({ messageId, sequenceNumber }: Acceptance) =>
  element("MessageId", messageId) + element("SequenceNumber", sequenceNumber);

const refusedEntry = ({ code, message, senderFault }: SnsError) =>
  element("Code", code) + element("Message", message) + element("SenderFault", String(senderFault));

const sha256 = (given: string) => createHash("sha256").update(given).digest("hex");

/** @throws SnsError for a batch that SNS refuses whatever its entries hold. */
function checkBatch(ids: readonly string[]): void {
  if (ids.length === 0)
    throw new SnsError("EmptyBatchRequest", "The batch request doesn't contain any entries.");
  if (ids.length > ENTRY_LIMIT)
    throw new SnsError(
      "TooManyEntriesInBatchRequest",
      "The batch request contains more entries than permissible.",
    );
  if (!ids.every((id) => /^[\w-]{1,80}$/.test(id)))
    throw new SnsError(
      "InvalidBatchEntryId",
      "The Id of a batch entry in a batch request doesn't abide by the specification.",
    );
  if (new Set(ids).size < ids.length)
    throw new SnsError(
      "BatchEntryIdsNotDistinct",
      "Two or more batch entries in the request have the same Id.",
    );
}
