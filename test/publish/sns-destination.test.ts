import { CreateTopicCommand, SNSClient } from "@aws-sdk/client-sns";
import { beforeAll, describe, expect, it } from "vitest";
import { kindOfError, SnsDestination } from "../../src/publish/sns-destination.ts";
import { startLocalSns } from "../../src/sandbox/sns/start-local-sns.ts";
import { startStubProvider } from "../collection-api/stub-provider.ts";
import { type DestinationWorld, describeDestination, type Trouble } from "./destination-suite.ts";

type Fault = Parameters<Awaited<ReturnType<typeof startLocalSns>>["addFault"]>[0];

function faultsOf(trouble: Trouble): Fault[] {
  const times = 1_000;
  switch (trouble.kind) {
    case "none":
      return [];
    case "refuses":
    case "fails":
      return [
        {
          kind: "fail-entries",
          senderFault: trouble.kind === "refuses",
          matching: trouble.matching,
          times,
        },
      ];
    case "says nothing of":
      return [{ kind: "omit-entries", matching: trouble.matching, times }];
    case "throttles":
      return [{ kind: "throttle", times }];
    case "breaks down":
      return [{ kind: "internal-error", times }];
    case "hangs":
      return [{ kind: "hang", times }];
    case "cuts the connection":
      return [{ kind: "drop", times }];
    case "credentials refused":
      return [{ kind: "refuse-credentials", times }];
    case "no such topic":
      return [{ kind: "topic-missing", times }];
    case "not allowed":
      return [{ kind: "not-allowed", times }];
  }
}

async function world(): Promise<DestinationWorld> {
  const sns = await startLocalSns({ port: 0 });
  const region = "us-east-1";
  const client = new SNSClient({ endpoint: sns.url, region });
  const topic = async (Name: string, Attributes: Record<string, string>) =>
    (await client.send(new CreateTopicCommand({ Name, Attributes }))).TopicArn as string;
  const topicArn = await topic("events", {});
  const orderedTopicArn = await topic("events.fifo", { FifoTopic: "true" });
  client.destroy();
  return {
    destination: new SnsDestination({ region, endpoint: sns.url, connections: 4, timeoutMs: 3_000 }),
    topicArn,
    orderedTopicArn,
    mostBytes: 262_144,
    meets(trouble) {
      sns.clearFaults();
      for (const fault of faultsOf(trouble)) sns.addFault(fault);
    },
    taken(arn) {
      const messages = sns.messages(arn).map((message) => ({
        messageId: message.messageId,
        payload: message.message,
        attributes: Object.fromEntries(
          Object.entries(message.messageAttributes).map(([name, { Value }]) => [name, Value]),
        ),
        group: message.messageGroupId,
        deduplicationId: message.messageDeduplicationId,
      }));
      sns.clear();
      return messages;
    },
    close: () => sns.close(),
  };
}

beforeAll(() => {
  process.env.AWS_ACCESS_KEY_ID = "local";
  process.env.AWS_SECRET_ACCESS_KEY = "local";
});

describeDestination("SNS behind the port", world);

describe("what SNS says", () => {
  it("is kept without what is secret in it, and no longer than a person reads", async () => {
    const message = `The Canonical String should have been 'POST x-amz-security-token:FwoGZXIv3//hush' for ada@example.com ${"x".repeat(9_000)}`;
    await using far = await startStubProvider(() => ({
      status: 403,
      body: `<ErrorResponse><Error><Type>Sender</Type><Code>SignatureDoesNotMatch</Code><Message>${message}</Message></Error></ErrorResponse>`,
    }));
    const destination = new SnsDestination({
      region: "us-east-1",
      endpoint: far.url,
      connections: 1,
      timeoutMs: 5_000,
    });
    const event = {
      id: "1",
      source: "default",
      invoiceId: "1",
      type: "t",
      invoiceType: "Live",
      payload: "{}",
    };
    const topicArn = "arn:aws:sns:us-east-1:000000000000:events";
    const outcomes = [
      await destination.send(topicArn, [{ ...event, collectionName: null }]),
      await destination.describe(topicArn),
    ];
    destination.close();
    for (const outcome of outcomes) {
      const { error } = outcome as Extract<typeof outcome, { error: string }>;
      expect(error).toMatch(/^SignatureDoesNotMatch/);
      expect(error).not.toMatch(/hush|ada@/);
      expect(error.length).toBeLessThanOrEqual(500);
    }
  });
});

describe("an error of the SDK", () => {
  it.each([
    ["NotFound", "topic_refused"],
    ["NotFoundException", "topic_refused"],
    ["CredentialsProviderError", "topic_refused"],
    ["KMSDisabled", "topic_refused"],
    ["BatchRequestTooLong", "refused"],
    ["InvalidParameterException", "refused"],
    ["ThrottledException", "failed"],
    ["NeverHeardOf", "failed"],
  ])("%s is %s, with and without its ending", (name, expected) => {
    expect(kindOfError(Object.assign(new Error("no"), { name }))).toBe(expected);
  });
});
