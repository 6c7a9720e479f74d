import { GetTopicAttributesCommand, type SNSClient } from "@aws-sdk/client-sns";
import { messageOf } from "../kit/errors.ts";
import type { TopicDescription } from "./destination.ts";

const NOT_ALLOWED = /^(AuthorizationError|AccessDenied)(Exception)?$/;

/** Asks SNS for a topic's attributes, once; outcomes are results, nothing is thrown. */
export async function describeTopic(client: SNSClient, topicArn: string): Promise<TopicDescription> {
  try {
    const { Attributes = {} } = await client.send(new GetTopicAttributesCommand({ TopicArn: topicArn }));
    return { kind: "there", subscriptions: Number(Attributes.SubscriptionsConfirmed ?? 0) };
  } catch (error) {
    const name = error instanceof Error ? error.name : "Error";
    return { kind: NOT_ALLOWED.test(name) ? "not_allowed" : "fault", error: `${name}: ${messageOf(error)}` };
  }
}
