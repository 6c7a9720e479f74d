import {
  CreateTopicCommand,
  PublishBatchCommand,
  type PublishBatchRequestEntry,
  PublishCommand,
  type PublishInput,
  SNSClient,
} from "@aws-sdk/client-sns";
import { onTestFinished } from "vitest";
import { type LocalSnsOptions, startLocalSns } from "../../../src/sandbox/sns/start-local-sns.ts";
import { testSigner } from "../../support/signer.ts";

/**
 * A local SNS and the AWS SDK's own client for it, both gone when the test is. The client does not try again.
 */
export async function snsFixture(options: Partial<LocalSnsOptions> = {}) {
  const sns = await startLocalSns({
    port: 0,
    retryDelaysMs: [5, 5, 5],
    signer: await testSigner(),
    ...options,
  });
  const client = new SNSClient({
    endpoint: sns.url,
    region: options.region ?? "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  });
  onTestFinished(async () => {
    client.destroy();
    await sns.close();
  });
  return {
    sns,
    client,
    /** Makes a topic and gives its ARN; FIFO when its name says so. */
    async topic(name: string, attributes: Record<string, string> = {}): Promise<string> {
      const fifo = name.endsWith(".fifo") ? { FifoTopic: "true" } : {};
      const made = await client.send(
        new CreateTopicCommand({ Name: name, Attributes: { ...fifo, ...attributes } }),
      );
      if (made.TopicArn === undefined) throw new Error("CreateTopic answered no ARN");
      return made.TopicArn;
    },
  };
}

/** The same with a topic, and what publishes to it. */
export async function topicFixture(
  options: Partial<LocalSnsOptions> = {},
  name = "events",
  attributes: Record<string, string> = {},
) {
  const fixture = await snsFixture(options);
  const TopicArn = await fixture.topic(name, attributes);
  return {
    ...fixture,
    TopicArn,
    publish: (input: PublishInput) => fixture.client.send(new PublishCommand({ TopicArn, ...input })),
    batch: (entries: PublishBatchRequestEntry[]) =>
      fixture.client.send(new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries: entries })),
  };
}

/** Entries of a batch with these messages; their ids are their numbers. */
export const entriesOf = (...messages: string[]) =>
  messages.map((Message, nth) => ({ Id: `${nth}`, Message }));
