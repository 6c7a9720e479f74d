import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import type { Delivery } from "./delivery.ts";
import type { Faults } from "./faults.ts";
import {
  contentRefusal,
  groupRefusal,
  type Journal,
  type Message,
  messageFields,
  SIZE_LIMIT,
  sizeOf,
} from "./message.ts";
import {
  element,
  invalidParameter,
  listElement,
  mapElement,
  members,
  type Operation,
  operation,
  SnsError,
  text,
  textMap,
} from "./protocol.ts";
import { ACCOUNT_ID, type Acceptance, type Subscription, type Topic, type Topics } from "./topics.ts";

const oneTopic = { TopicArn: text };

/** The operations by name: what each takes, and what it does. */
export function createOperations(
  parts: Parameters<typeof publishOperations>[0],
): Readonly<Record<string, Operation>> {
  const { topics, delivery } = parts;
  return {
    CreateTopic: operation({ Name: text, Attributes: textMap }, ({ Name, Attributes }) =>
      element("TopicArn", topics.create(Name, Attributes).arn),
    ),

    GetTopicAttributes: operation(oneTopic, ({ TopicArn }) =>
      mapElement("Attributes", Object.entries(shownTopic(topics.get(TopicArn)))),
    ),

    Subscribe: operation(
      { ...oneTopic, Protocol: text, Endpoint: text, Attributes: textMap, ReturnSubscriptionArn: text },
      ({ TopicArn, Protocol, Endpoint, Attributes, ReturnSubscriptionArn }) => {
        const topic = topics.get(TopicArn);
        const subscription = topics.subscribe(topic, readTarget(Protocol, Endpoint), Attributes);
        if (!subscription.confirmed) delivery.askToConfirm(topic, subscription);
        const isShown = subscription.confirmed || ReturnSubscriptionArn === "true";
        return element("SubscriptionArn", isShown ? subscription.arn : "pending confirmation");
      },
    ),

    ConfirmSubscription: operation({ ...oneTopic, Token: text }, ({ TopicArn, Token }) =>
      element("SubscriptionArn", topics.confirm(topics.get(TopicArn), Token).arn),
    ),

    ...publishOperations(parts),
  };
}

function shownTopic({ arn, attributes, subscriptions }: Topic): Record<string, string> {
  const all = [...subscriptions.values()];
  const confirmed = all.filter((subscription) => subscription.confirmed).length;
  return {
    TopicArn: arn,
    Owner: ACCOUNT_ID,
    SubscriptionsConfirmed: String(confirmed),
    SubscriptionsPending: String(all.length - confirmed),
    ...Object.fromEntries(attributes),
  };
}

function readTarget(protocol: string, endpoint: string): Pick<Subscription, "protocol" | "endpoint"> {
  if (protocol !== "http" && protocol !== "https")
    throw invalidParameter(
      `Amazon SNS does not support this protocol string: ${protocol} (the local one delivers to http and https)`,
    );
  if (!endpoint.startsWith(`${protocol}://`) || !URL.canParse(endpoint))
    throw invalidParameter("Endpoint must match the specified protocol");
  return { protocol, endpoint };
}

const ENTRY_LIMIT = 10;

/** The way of a message into a topic: checked, deduplicated, kept in the journal, passed to delivery. */
function publishOperations(parts: {
  topics: Topics;
  journal: Journal;
  delivery: Delivery;
  faults: Faults;
}): Readonly<Record<"Publish" | "PublishBatch", Operation>> {
  const { topics, journal, delivery, faults } = parts;

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
    const acceptedAt = new Date().toISOString();
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

    // SNS refuses the request as a whole for its size, groups and deduplication; content is checked entry by entry.
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

/** @throws SnsError for a batch that SNS refuses whole, before it reads the entries. */
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
