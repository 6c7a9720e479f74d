import {
  CreateTopicCommand,
  PublishBatchCommand,
  type PublishBatchRequestEntry,
  PublishCommand,
  type PublishInput,
  SNSClient,
  SubscribeCommand,
} from "@aws-sdk/client-sns";
import { onTestFinished, vi } from "vitest";
import { type LocalSnsOptions, startLocalSns } from "../../../src/sandbox/sns/start-local-sns.ts";
import { type Received, startReceiver } from "../../support/own-server.ts";
import { testSigner } from "../../support/signer.ts";

/** A local SNS and the AWS SDK's own client for it, which does not try again; both gone with the test. */
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

export type Subscriber = Awaited<ReturnType<typeof startSubscriber>>;

/** An HTTP endpoint that keeps what it gets, gone with the test. @param answer a status for each request */
export async function startSubscriber(answer?: (received: Received) => number | Promise<number>) {
  const { url, received, close } = await startReceiver(answer);
  onTestFinished(close);
  /** The envelopes of this type, in the order they came. */
  const letters = (type: string) =>
    received
      .filter(({ headers }) => headers["x-amz-sns-message-type"] === type)
      .map(({ body }) => JSON.parse(String(body)) as Record<string, string>);
  /** The messages of all notifications, in the order they came. */
  const messages = () => letters("Notification").map((letter) => letter.Message);
  return { url: `${url}/events`, received, letters, messages };
}

/** Subscribes and confirms as an endpoint does: by opening the SubscribeURL it was sent. @returns its ARN */
export async function subscribe(client: SNSClient, TopicArn: string, { url, letters }: Subscriber) {
  const { SubscriptionArn = "" } = await client.send(
    new SubscribeCommand({ TopicArn, Protocol: "http", Endpoint: url, ReturnSubscriptionArn: true }),
  );
  await vi.waitFor(() => fetch(letters("SubscriptionConfirmation").at(-1)?.SubscribeURL ?? ""));
  return SubscriptionArn;
}
