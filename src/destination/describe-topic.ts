import { GetTopicAttributesCommand, type SNSClient } from "@aws-sdk/client-sns";
import type { TopicDescription } from "./destination.ts";
import { nameOf, toldBy } from "./told.ts";

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
    return { kind: NOT_ALLOWED.test(nameOf(error)) ? "not_allowed" : "fault", error: toldBy(error) };
  }
}
