import { z } from "zod";
import { element, invalidParameter, listElement, mapElement, SnsError } from "./answers.ts";
import { attributeOf, checkTopicAttributes } from "./attributes.ts";
import type { Delivery } from "./delivery.ts";
import { members, textMap } from "./form.ts";
import { messageFields } from "./message.ts";
import type { EntryOutcome, Publisher } from "./publish.ts";
import { type Subscription, setSubscriptionAttribute, type Topic, type Topics } from "./topics.ts";

/** An operation of SNS: from the fields of a request to the XML of its result; undefined where it has none. */
export interface Operation {
  /** Whoever holds the token, or the link in a message, needs no credentials: as in SNS. */
  readonly openToAll: boolean;
  /** @throws SnsError for a request that is refused. */
  answer(fields: unknown): string | undefined;
}

const text = z.string().default("");
const oneTopic = { TopicArn: text };
const oneSubscription = { SubscriptionArn: text };
const oneAttribute = { AttributeName: text, AttributeValue: text };

const ENTRY_LIMIT = 10;

/** The operations by name: what each takes, and what it does. */
export function createOperations(parts: {
  topics: Topics;
  publisher: Publisher;
  delivery: Delivery;
  accountId: string;
}): Readonly<Record<string, Operation>> {
  const { topics, publisher, delivery, accountId } = parts;

  function existing(arn: string): Subscription {
    const subscription = topics.findSubscription(arn);
    if (subscription === undefined) throw new SnsError("NotFound", "Subscription does not exist");
    return subscription;
  }

  const listed = (some: readonly Topic[]) =>
    listElement(
      "Subscriptions",
      some.flatMap(({ subscriptions }) =>
        [...subscriptions.values()].map((one) => listedSubscription(one, accountId)),
      ),
    );

  return {
    CreateTopic: operation({ Name: text, Attributes: textMap }, ({ Name, Attributes }) =>
      element("TopicArn", topics.create(Name, Attributes).arn),
    ),

    DeleteTopic: operation(oneTopic, ({ TopicArn }) => {
      topics.delete(TopicArn);
    }),

    ListTopics: operation({}, () =>
      listElement(
        "Topics",
        topics.list().map(({ arn }) => element("TopicArn", arn)),
      ),
    ),

    GetTopicAttributes: operation(oneTopic, ({ TopicArn }) =>
      mapElement("Attributes", Object.entries(shownTopic(topics.get(TopicArn), accountId))),
    ),

    SetTopicAttributes: operation({ ...oneTopic, ...oneAttribute }, (input) => {
      const { AttributeName, AttributeValue } = input;
      const topic = topics.get(input.TopicArn);
      if (AttributeName === "FifoTopic") throw invalidParameter("AttributeName");
      checkTopicAttributes(new Map([[AttributeName, AttributeValue]]), topic.fifo !== undefined, "");
      topic.attributes = new Map(topic.attributes).set(AttributeName, AttributeValue);
    }),

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

    ConfirmSubscription: operation(
      { ...oneTopic, Token: text },
      ({ TopicArn, Token }) => element("SubscriptionArn", topics.confirm(topics.get(TopicArn), Token).arn),
      { openToAll: true },
    ),

    Unsubscribe: operation(
      oneSubscription,
      ({ SubscriptionArn }) => {
        topics.unsubscribe(SubscriptionArn);
      },
      {
        openToAll: true,
      },
    ),

    ListSubscriptions: operation({}, () => listed(topics.list())),

    ListSubscriptionsByTopic: operation(oneTopic, ({ TopicArn }) => listed([topics.get(TopicArn)])),

    GetSubscriptionAttributes: operation(oneSubscription, ({ SubscriptionArn }) =>
      mapElement("Attributes", Object.entries(shownSubscription(existing(SubscriptionArn), accountId))),
    ),

    SetSubscriptionAttributes: operation({ ...oneSubscription, ...oneAttribute }, (input) => {
      setSubscriptionAttribute(existing(input.SubscriptionArn), input.AttributeName, input.AttributeValue);
    }),

    Publish: operation(
      { TopicArn: z.string().optional(), TargetArn: text, PhoneNumber: text, ...messageFields },
      ({ TopicArn, TargetArn, PhoneNumber, ...message }) => {
        if (PhoneNumber !== "") throw invalidParameter("PhoneNumber Reason: the local SNS sends no SMS");
        const accepted = publisher.publish(topics.get(TopicArn ?? TargetArn), message);
        return element("MessageId", accepted.messageId) + element("SequenceNumber", accepted.sequenceNumber);
      },
    ),

    PublishBatch: operation(
      { ...oneTopic, PublishBatchRequestEntries: members(z.object({ Id: text, ...messageFields })) },
      ({ TopicArn, PublishBatchRequestEntries: entries }) => {
        checkBatch(entries.map(({ Id }) => Id));
        return batchResult(publisher.publishBatch(topics.get(TopicArn), entries));
      },
    ),
  };
}

function operation<Shape extends z.ZodRawShape>(
  shape: Shape,
  answer: (input: z.output<z.ZodObject<Shape>>) => string | undefined,
  { openToAll } = { openToAll: false },
): Operation {
  const schema = z.object(shape);
  return {
    openToAll,
    answer(fields) {
      const read = schema.safeParse(fields);
      if (!read.success) throw invalidParameter(read.error.issues[0]?.path.join(".") ?? "");
      return answer(read.data) ?? undefined;
    },
  };
}

function shownTopic(topic: Topic, accountId: string): Record<string, string> {
  const all = [...topic.subscriptions.values()];
  const confirmed = all.filter((subscription) => subscription.confirmed).length;
  return {
    TopicArn: topic.arn,
    Owner: accountId,
    DisplayName: "",
    SubscriptionsConfirmed: String(confirmed),
    SubscriptionsPending: String(all.length - confirmed),
    SubscriptionsDeleted: "0",
    ...(topic.fifo !== undefined && { ContentBasedDeduplication: "false" }),
    ...Object.fromEntries(topic.attributes),
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

const listedSubscription = (subscription: Subscription, accountId: string) =>
  element("SubscriptionArn", subscription.confirmed ? subscription.arn : "PendingConfirmation") +
  element("Owner", accountId) +
  element("Protocol", subscription.protocol) +
  element("Endpoint", subscription.endpoint) +
  element("TopicArn", subscription.topicArn);

function shownSubscription(subscription: Subscription, accountId: string): Record<string, string> {
  const { attributes } = subscription;
  const isRaw = attributeOf(attributes, "RawMessageDelivery").toLowerCase();
  return {
    SubscriptionArn: subscription.arn,
    TopicArn: subscription.topicArn,
    Protocol: subscription.protocol,
    Endpoint: subscription.endpoint,
    Owner: accountId,
    PendingConfirmation: String(!subscription.confirmed),
    RawMessageDelivery: isRaw,
    ...(subscription.filterPolicy !== undefined && {
      FilterPolicy: attributeOf(attributes, "FilterPolicy"),
      FilterPolicyScope: attributeOf(attributes, "FilterPolicyScope"),
    }),
  };
}

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
      const why = element("Code", code) + element("Message", message);
      failed.push(id + why + element("SenderFault", String(senderFault)));
    }
  }
  return listElement("Successful", successful) + listElement("Failed", failed);
}
