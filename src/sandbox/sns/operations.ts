import { element, invalidParameter, mapElement } from "./answers.ts";
import { type Operation, operation, text, textMap } from "./form.ts";
import { publishOperations } from "./publish.ts";
import { ACCOUNT_ID, type Subscription, type Topic } from "./topics.ts";

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

    ConfirmSubscription: operation(
      { ...oneTopic, Token: text },
      ({ TopicArn, Token }) => element("SubscriptionArn", topics.confirm(topics.get(TopicArn), Token).arn),
      { openToAll: true },
    ),

    Unsubscribe: operation(
      { SubscriptionArn: text },
      ({ SubscriptionArn }) => void topics.unsubscribe(SubscriptionArn),
      { openToAll: true },
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
