import type { Action } from "./action.ts";
import type { Delivery } from "./delivery.ts";
import type { Envelopes } from "./envelope.ts";
import { pageOf } from "./page.ts";
import { type Fields, textMapOf, textOf } from "./query-protocol.ts";
import { invalidParameter, SnsError } from "./sns-error.ts";
import { DEFAULT_SETTINGS, withAttributes } from "./subscription-attributes.ts";
import type { Subscription, Subscriptions } from "./subscriptions.ts";
import { topicAttribute } from "./topic-attributes.ts";
import type { Place, Topics } from "./topics.ts";
import { element, listElement, mapElement } from "./xml-answer.ts";

/** Subscribe, ConfirmSubscription, Unsubscribe, the two lists, and reading and setting attributes. */
export function subscriptionActions(parts: {
  topics: Topics;
  subscriptions: Subscriptions;
  envelopes: Envelopes;
  delivery: Pick<Delivery, "send">;
  place: Place;
  now: () => number;
}) {
  const { topics, subscriptions, envelopes, delivery, place, now } = parts;

  function askToConfirm(
    type: "SubscriptionConfirmation" | "UnsubscribeConfirmation",
    subscription: Subscription,
  ): void {
    const topic = topics.find(subscription.topicArn);
    const given = {
      token: subscriptions.tokenFor(subscription),
      signatureVersion: topicAttribute(topic?.attributes ?? new Map(), "SignatureVersion"),
      at: new Date(now()).toISOString(),
    };
    delivery.send(subscription, envelopes.confirmation(type, subscription, given));
  }

  function existing(fields: Fields): Subscription {
    const arn = checkedArn(textOf(fields, "SubscriptionArn"));
    const subscription = subscriptions.find(arn);
    if (subscription === undefined) throw new SnsError("NotFound", "Subscription does not exist");
    return subscription;
  }

  return {
    Subscribe(fields) {
      const topic = topics.get(textOf(fields, "TopicArn"));
      const { protocol, endpoint } = readTarget(fields);
      const attributes = textMapOf(fields, "Attributes");
      const settings = withAttributes(DEFAULT_SETTINGS, attributes, "Attributes Reason: ");
      const same = subscriptions
        .ofTopic(topic.arn)
        .find((other) => other.endpoint === endpoint && other.protocol === protocol);
      if (same !== undefined && attributes.size > 0 && !sameSettings(same.settings, settings)) {
        throw invalidParameter("Attributes Reason: Subscription already exists with different attributes");
      }
      const subscription = same ?? subscriptions.add({ topicArn: topic.arn, protocol, endpoint, settings });
      if (!subscription.confirmed) askToConfirm("SubscriptionConfirmation", subscription);
      const shown = subscription.confirmed || textOf(fields, "ReturnSubscriptionArn") === "true";
      return element("SubscriptionArn", shown ? subscription.arn : "pending confirmation");
    },

    ConfirmSubscription(fields, caller) {
      const topic = topics.get(textOf(fields, "TopicArn"));
      const subscription = subscriptions.confirm(topic.arn, textOf(fields, "Token") ?? "", {
        signed: caller.signed,
        authenticate: textOf(fields, "AuthenticateOnUnsubscribe") === "true",
      });
      return element("SubscriptionArn", subscription.arn);
    },

    Unsubscribe(fields, caller) {
      const subscription = subscriptions.find(checkedArn(textOf(fields, "SubscriptionArn")));
      if (subscription === undefined) return undefined;
      if (subscription.authenticateOnUnsubscribe && !caller.signed) {
        throw new SnsError("AuthorizationError", "Unsubscribing needs a signed request");
      }
      const wasConfirmed = subscription.confirmed;
      subscriptions.delete(subscription);
      // SNS tells the endpoint only when anyone could have done it, so that the owner can undo it.
      if (!caller.signed && wasConfirmed) askToConfirm("UnsubscribeConfirmation", subscription);
      return undefined;
    },

    ListSubscriptions(fields) {
      return shownPage(subscriptions.list(), fields, place);
    },

    ListSubscriptionsByTopic(fields) {
      const topic = topics.get(textOf(fields, "TopicArn"));
      return shownPage(subscriptions.ofTopic(topic.arn), fields, place);
    },

    GetSubscriptionAttributes(fields) {
      return mapElement("Attributes", shownAttributes(existing(fields), place));
    },

    SetSubscriptionAttributes(fields) {
      const subscription = existing(fields);
      const name = textOf(fields, "AttributeName") ?? "";
      const attributes = new Map([[name, textOf(fields, "AttributeValue") ?? ""]]);
      subscription.settings = withAttributes(subscription.settings, attributes, "");
      return undefined;
    },
  } satisfies Record<string, Action>;
}

function readTarget(fields: Fields): Pick<Subscription, "protocol" | "endpoint"> {
  const protocol = textOf(fields, "Protocol") ?? "";
  const endpoint = textOf(fields, "Endpoint") ?? "";
  if (protocol !== "http" && protocol !== "https") {
    throw invalidParameter(
      `Amazon SNS does not support this protocol string: ${protocol} (the local one delivers to http ` +
        "and https)",
    );
  }
  if (!endpoint.startsWith(`${protocol}://`) || !URL.canParse(endpoint)) {
    throw invalidParameter("Endpoint must match the specified protocol");
  }
  return { protocol, endpoint };
}

function checkedArn(arn = ""): string {
  const count = arn.split(":").length;
  if (count < 6) {
    throw invalidParameter(`SubscriptionArn Reason: An ARN must have at least 6 elements, not ${count}`);
  }
  return arn;
}

const sameSettings = (one: Subscription["settings"], other: Subscription["settings"]) =>
  one.filterPolicyJson === other.filterPolicyJson &&
  one.filterPolicyScope === other.filterPolicyScope &&
  one.rawMessageDelivery === other.rawMessageDelivery;

function shownPage(all: readonly Subscription[], fields: Fields, place: Place): string {
  const page = pageOf(all, textOf(fields, "NextToken"));
  const items = page.items.map(
    (subscription) =>
      element("SubscriptionArn", subscription.confirmed ? subscription.arn : "PendingConfirmation") +
      element("Owner", place.accountId) +
      element("Protocol", subscription.protocol) +
      element("Endpoint", subscription.endpoint) +
      element("TopicArn", subscription.topicArn),
  );
  return listElement("Subscriptions", items) + element("NextToken", page.next);
}

function shownAttributes(subscription: Subscription, place: Place): Map<string, string> {
  const { settings } = subscription;
  const shown = new Map([
    ["SubscriptionArn", subscription.arn],
    ["TopicArn", subscription.topicArn],
    ["Protocol", subscription.protocol],
    ["Endpoint", subscription.endpoint],
    ["Owner", place.accountId],
    ["PendingConfirmation", String(!subscription.confirmed)],
    ["ConfirmationWasAuthenticated", String(subscription.confirmationWasAuthenticated)],
    ["RawMessageDelivery", String(settings.rawMessageDelivery)],
  ]);
  if (settings.filterPolicyJson !== undefined) {
    shown.set("FilterPolicy", settings.filterPolicyJson);
    shown.set("FilterPolicyScope", settings.filterPolicyScope);
  }
  return shown;
}
