import { GetTopicAttributesCommand, type SNSClient } from "@aws-sdk/client-sns";
import { messageOf } from "../kit/errors.ts";
import type { TopicDescription } from "./destination.ts";

const NOT_ALLOWED = /^(AuthorizationError|AccessDenied)(Exception)?$/;

/** Asks SNS for a topic's attributes, once; outcomes are results, nothing is thrown. */
export async function describeTopic(client: SNSClient, topicArn: string): Promise<TopicDescription> {
  try {
    const { Attributes = {} } = await client.send(new GetTopicAttributesCommand({ TopicArn: topicArn }));
    const { SubscriptionsConfirmed = "0", SignatureVersion = "1" } = Attributes;
    return {
      kind: "there",
      subscriptions: Number(SubscriptionsConfirmed),
      signatureVersion: SignatureVersion,
    };
  } catch (error) {
    const name = error instanceof Error ? error.name : "Error";
    return { kind: NOT_ALLOWED.test(name) ? "not_allowed" : "fault", error: `${name}: ${messageOf(error)}` };
  }
}
