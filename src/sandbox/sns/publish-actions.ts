import type { Action } from "./action.ts";
import { readDraft } from "./draft.ts";
import type { BatchEntry, EntryOutcome, Publisher } from "./publish.ts";
import { type Fields, membersOf, textOf } from "./query-protocol.ts";
import { invalidParameter, SnsError } from "./sns-error.ts";
import type { Topics } from "./topics.ts";
import { element, listElement } from "./xml-answer.ts";

const MOST_ENTRIES = 10;
const ENTRY_ID = /^[A-Za-z0-9_-]{1,80}$/;

export function publishActions(topics: Topics, publisher: Publisher) {
  return {
    Publish(fields) {
      if (textOf(fields, "PhoneNumber") !== undefined) {
        throw invalidParameter("PhoneNumber Reason: the local SNS sends no SMS");
      }
      const topic = topics.get(textOf(fields, "TopicArn") ?? textOf(fields, "TargetArn"));
      const accepted = publisher.publish(topic, readDraft(fields));
      return element("MessageId", accepted.messageId) + element("SequenceNumber", accepted.sequenceNumber);
    },

    PublishBatch(fields) {
      const members = membersOf(fields, "PublishBatchRequestEntries");
      if (members.length === 0) {
        throw new SnsError("EmptyBatchRequest", "The batch request doesn't contain any entries.");
      }
      if (members.length > MOST_ENTRIES) {
        throw new SnsError(
          "TooManyEntriesInBatchRequest",
          "The batch request contains more entries than permissible.",
        );
      }
      const topic = topics.get(textOf(fields, "TopicArn"));
      checkIds(members.map((member) => textOf(member, "Id") ?? ""));
      const entries: BatchEntry[] = members.map((member) => ({
        id: textOf(member, "Id") ?? "",
        draft: readDraft(member),
      }));
      return batchResult(publisher.publishBatch(topic, entries));
    },
  } satisfies Record<string, (fields: Fields) => ReturnType<Action>>;
}

function checkIds(ids: readonly string[]): void {
  if (!ids.every((id) => ENTRY_ID.test(id))) {
    throw new SnsError(
      "InvalidBatchEntryId",
      "The Id of a batch entry in a batch request doesn't abide by the specification.",
    );
  }
  if (new Set(ids).size < ids.length) {
    throw new SnsError(
      "BatchEntryIdsNotDistinct",
      "Two or more batch entries in the request have the same Id.",
    );
  }
}

function batchResult(outcomes: readonly EntryOutcome[]): string {
  const successful: string[] = [];
  const failed: string[] = [];
  for (const outcome of outcomes) {
    const id = element("Id", outcome.id);
    if ("accepted" in outcome) {
      const { messageId, sequenceNumber } = outcome.accepted;
      successful.push(id + element("MessageId", messageId) + element("SequenceNumber", sequenceNumber));
    } else {
      const { code, message, senderFault } = outcome.refused;
      failed.push(
        id +
          element("Code", code) +
          element("Message", message) +
          element("SenderFault", String(senderFault)),
      );
    }
  }
  return listElement("Successful", successful) + listElement("Failed", failed);
}
