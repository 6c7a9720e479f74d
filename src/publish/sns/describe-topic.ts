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
    const name = error instanceof Error ? error.name : "Error";
    return NOT_ALLOWED.test(nameOf(error))
      ? { kind: "not_allowed", error: toldBy(error) }
      : { kind: "fault", error: toldBy(error), away: isAway(error, name) };
  }
}

/** No answer at all, or one that blames the service; missing credentials are our own fault. */
function isAway(error: unknown, name: string): boolean {
  if (name === "CredentialsProviderError") return false;
  const { $metadata: { httpStatusCode: status } = {} } = error as { $metadata?: { httpStatusCode?: number } };
  return status === undefined || status >= 500;
}
