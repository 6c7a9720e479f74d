import { GetTopicAttributesCommand, SNSClient } from "@aws-sdk/client-sns";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { messageOf } from "../kit/errors.ts";

/** What SNS says about a topic. */
export type TopicDescription =
  /** `subscriptions` counts the confirmed ones. */
  | { kind: "there"; subscriptions: number }
  /** These credentials may not ask, which says nothing about publishing. */
  | { kind: "not_allowed"; error: string }
  | { kind: "fault"; error: string };

export interface DescribeTopicOptions {
  region: string;
  /** Another endpoint than AWS'. */
  endpoint?: string | undefined;
  timeoutMs: number;
}

const NOT_ALLOWED = /^(AuthorizationError|AccessDenied)(Exception)?$/;

/** Asks SNS for a topic's attributes, once; outcomes are results, nothing is thrown. */
export async function describeTopic(
  topicArn: string,
  { region, endpoint, timeoutMs }: DescribeTopicOptions,
): Promise<TopicDescription> {
  const client = new SNSClient({
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: timeoutMs,
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
    }),
  });
  try {
    const { Attributes = {} } = await client.send(new GetTopicAttributesCommand({ TopicArn: topicArn }));
    return { kind: "there", subscriptions: Number(Attributes.SubscriptionsConfirmed ?? 0) };
  } catch (error) {
    const name = error instanceof Error ? error.name : "Error";
    return { kind: NOT_ALLOWED.test(name) ? "not_allowed" : "fault", error: `${name}: ${messageOf(error)}` };
  } finally {
    client.destroy();
  }
}
