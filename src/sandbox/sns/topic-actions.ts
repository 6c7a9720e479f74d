import type { Action } from "./action.ts";
import { pageOf } from "./page.ts";
import { textMapOf, textOf } from "./query-protocol.ts";
import { invalidParameter } from "./sns-error.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { topicAttributeRefusal } from "./topic-attributes.ts";
import type { Place, Topic, Topics } from "./topics.ts";
import { element, listElement, mapElement } from "./xml-answer.ts";

/** CreateTopic, DeleteTopic, ListTopics, GetTopicAttributes and SetTopicAttributes. */
export function topicActions(topics: Topics, subscriptions: Subscriptions, place: Place) {
  return {
    CreateTopic(fields) {
      const topic = topics.create(textOf(fields, "Name") ?? "", textMapOf(fields, "Attributes"));
      return element("TopicArn", topic.arn);
    },

    DeleteTopic(fields) {
      const arn = textOf(fields, "TopicArn");
      topics.delete(arn);
      subscriptions.deleteTopic(arn ?? "");
      return undefined;
    },

    ListTopics(fields) {
      const page = pageOf(topics.list(), textOf(fields, "NextToken"));
      const items = page.items.map((topic) => element("TopicArn", topic.arn));
      return listElement("Topics", items) + element("NextToken", page.next);
    },

    GetTopicAttributes(fields) {
      const topic = topics.get(textOf(fields, "TopicArn"));
      return mapElement("Attributes", shownAttributes(topic, subscriptions, place));
    },

    SetTopicAttributes(fields) {
      const topic = topics.get(textOf(fields, "TopicArn"));
      const name = textOf(fields, "AttributeName") ?? "";
      const value = textOf(fields, "AttributeValue") ?? "";
      const refusal =
        name === "FifoTopic"
          ? invalidParameter("AttributeName")
          : topicAttributeRefusal({ name, value }, topic.fifo !== undefined, "");
      if (refusal !== undefined) throw refusal;
      topic.attributes.set(name, value);
      return undefined;
    },
  } satisfies Record<string, Action>;
}

function shownAttributes(topic: Topic, subscriptions: Subscriptions, place: Place): Map<string, string> {
  const counts = subscriptions.countsOf(topic.arn);
  const shown = new Map([
    ["TopicArn", topic.arn],
    ["Owner", place.accountId],
    ["DisplayName", ""],
    ["SubscriptionsConfirmed", String(counts.confirmed)],
    ["SubscriptionsPending", String(counts.pending)],
    ["SubscriptionsDeleted", String(counts.deleted)],
  ]);
  if (topic.fifo !== undefined) shown.set("ContentBasedDeduplication", "false");
  for (const [name, value] of topic.attributes) shown.set(name, value);
  return shown;
}
