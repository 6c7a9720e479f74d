import { element, invalidParameter, listElement, mapElement, SnsError } from "./answers.ts";
import { attributeOf, checkTopicAttributes, isRaw } from "./attributes.ts";
import { type Operation, operation, text, textMap } from "./form.ts";
import { publishOperations } from "./publish.ts";
import { ACCOUNT_ID, type Subscription, setSubscriptionAttribute, type Topic } from "./topics.ts";

const oneTopic = { TopicArn: text };
const oneSubscription = { SubscriptionArn: text };
const oneAttribute = { AttributeName: text, AttributeValue: text };

/** The operations by name: what each takes, and what it does. */
export function createOperations(
  parts: Parameters<typeof publishOperations>[0],
): Readonly<Record<string, Operation>> {
  const { topics, delivery } = parts;

  function existing(arn: string): Subscription {
    const subscription = topics.findSubscription(arn);
    if (subscription === undefined) throw new SnsError("NotFound", "Subscription does not exist");
    return subscription;
  }

  const listed = (some: readonly Topic[]) => {
    const all = some.flatMap(({ subscriptions }) => [...subscriptions.values()]);
    return listElement("Subscriptions", all.map(listedSubscription));
  };

  return {
    CreateTopic: operation({ Name: text, Attributes: textMap }, ({ Name, Attributes }) =>
      element("TopicArn", topics.create(Name, Attributes).arn),
    ),

    DeleteTopic: operation(oneTopic, ({ TopicArn }) => void topics.delete(TopicArn)),

    ListTopics: operation({}, () => {
      const arns = topics.list().map(({ arn }) => element("TopicArn", arn));
      return listElement("Topics", arns);
    }),

    GetTopicAttributes: operation(oneTopic, ({ TopicArn }) =>
      mapElement("Attributes", Object.entries(shownTopic(topics.get(TopicArn)))),
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
      ({ SubscriptionArn }) => void topics.unsubscribe(SubscriptionArn),
      { openToAll: true },
    ),

    ListSubscriptions: operation({}, () => listed(topics.list())),

    ListSubscriptionsByTopic: operation(oneTopic, ({ TopicArn }) => listed([topics.get(TopicArn)])),

    GetSubscriptionAttributes: operation(oneSubscription, ({ SubscriptionArn }) =>
      mapElement("Attributes", Object.entries(shownSubscription(existing(SubscriptionArn)))),
    ),

    SetSubscriptionAttributes: operation({ ...oneSubscription, ...oneAttribute }, (input) => {
      setSubscriptionAttribute(existing(input.SubscriptionArn), input.AttributeName, input.AttributeValue);
    }),

    ...publishOperations(parts),
  };
}

function shownTopic(topic: Topic): Record<string, string> {
  const all = [...topic.subscriptions.values()];
  const confirmed = all.filter((subscription) => subscription.confirmed).length;
  return {
    TopicArn: topic.arn,
    Owner: ACCOUNT_ID,
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

const listedSubscription = (subscription: Subscription) =>
  element("SubscriptionArn", subscription.confirmed ? subscription.arn : "PendingConfirmation") +
  element("Owner", ACCOUNT_ID) +
  element("Protocol", subscription.protocol) +
  element("Endpoint", subscription.endpoint) +
  element("TopicArn", subscription.topicArn);

function shownSubscription(subscription: Subscription): Record<string, string> {
  const { attributes } = subscription;
  return {
    SubscriptionArn: subscription.arn,
    TopicArn: subscription.topicArn,
    Protocol: subscription.protocol,
    Endpoint: subscription.endpoint,
    Owner: ACCOUNT_ID,
    PendingConfirmation: String(!subscription.confirmed),
    RawMessageDelivery: String(isRaw(attributes)),
    ...(subscription.filterPolicy !== undefined && {
      FilterPolicy: attributeOf(attributes, "FilterPolicy"),
      FilterPolicyScope: attributeOf(attributes, "FilterPolicyScope"),
    }),
  };
}
