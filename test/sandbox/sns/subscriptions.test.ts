import {
  ConfirmSubscriptionCommand,
  GetTopicAttributesCommand,
  SubscribeCommand,
  UnsubscribeCommand,
} from "@aws-sdk/client-sns";
import { describe, expect, it, vi } from "vitest";
import { topicFixture } from "./sns-fixture.ts";
import { startSubscriber, subscribe } from "./subscriber.ts";

async function pendingFixture() {
  const fixture = await topicFixture();
  const { TopicArn } = fixture;
  const subscriber = await startSubscriber();
  const target = { TopicArn, Protocol: "http", Endpoint: subscriber.url };
  const answer = await fixture.client.send(new SubscribeCommand(target));
  await vi.waitFor(() => expect(subscriber.received).toHaveLength(1));
  const [letter] = subscriber.letters("SubscriptionConfirmation");
  return { ...fixture, subscriber, target, answer, letter: letter ?? {} };
}

describe("subscriptions of the local SNS", () => {
  it("are pending, and get nothing, until the endpoint opens the SubscribeURL it was sent", async () => {
    const { sns, publish, TopicArn, subscriber, answer, letter } = await pendingFixture();
    expect(answer.SubscriptionArn).toBe("pending confirmation");
    expect(letter).toMatchObject({ Type: "SubscriptionConfirmation", TopicArn });
    await publish({ Message: "too early" });
    const confirmed = await fetch(letter.SubscribeURL ?? "");
    expect(await confirmed.text()).toContain(`<SubscriptionArn>${TopicArn}:`);
    await publish({ Message: "in time" });
    await vi.waitFor(() => expect(subscriber.messages()).toEqual(["in time"]));
    expect(sns.deliveries().map(({ type }) => type)).toEqual(["SubscriptionConfirmation", "Notification"]);
  });

  it("are confirmed by ConfirmSubscription too, any number of times", async () => {
    const { client, TopicArn, letter } = await pendingFixture();
    const wrong = new ConfirmSubscriptionCommand({ TopicArn, Token: "0".repeat(288) });
    await expect(client.send(wrong)).rejects.toMatchObject({ message: "Invalid parameter: Token" });
    const counts = await client.send(new GetTopicAttributesCommand({ TopicArn }));
    expect(counts.Attributes).toMatchObject({ SubscriptionsPending: "1", SubscriptionsConfirmed: "0" });
    const confirm = () => client.send(new ConfirmSubscriptionCommand({ TopicArn, Token: letter.Token }));
    const { SubscriptionArn } = await confirm();
    expect((await confirm()).SubscriptionArn).toBe(SubscriptionArn);
    const { Attributes } = await client.send(new GetTopicAttributesCommand({ TopicArn }));
    expect(Attributes).toMatchObject({ SubscriptionsPending: "0", SubscriptionsConfirmed: "1" });
  });

  it("are made once for an endpoint: again gives the same, and other attributes are refused", async () => {
    const { client, TopicArn } = await topicFixture();
    const subscriber = await startSubscriber();
    const arn = await subscribe(client, TopicArn, subscriber);
    const target = { TopicArn, Protocol: "http", Endpoint: subscriber.url };
    expect((await client.send(new SubscribeCommand(target))).SubscriptionArn).toBe(arn);
    await expect(
      client.send(new SubscribeCommand({ ...target, Attributes: { RawMessageDelivery: "true" } })),
    ).rejects.toMatchObject({ name: "InvalidParameterException" });
  });

  it("are refused for a protocol or an endpoint that it does not deliver to", async () => {
    const { client, TopicArn } = await topicFixture();
    for (const target of [
      { Protocol: "sqs", Endpoint: "arn:aws:sqs:us-east-1:1:q" },
      { Protocol: "https", Endpoint: "http://127.0.0.1/" },
      { Protocol: "http", Endpoint: "http://" },
      { Protocol: "http" },
    ])
      await expect(client.send(new SubscribeCommand({ TopicArn, ...target }))).rejects.toMatchObject({
        name: "InvalidParameterException",
      });
  });

  it("end with Unsubscribe or by the link in a message; doing it again succeeds", async () => {
    const { client, publish, TopicArn } = await topicFixture();
    const [leaving, staying] = [await startSubscriber(), await startSubscriber()];
    const SubscriptionArn = await subscribe(client, TopicArn, leaving);
    await subscribe(client, TopicArn, staying);
    await publish({ Message: "before" });
    await vi.waitFor(() => expect(leaving.messages()).toEqual(["before"]));
    await fetch(leaving.letters("Notification")[0]?.UnsubscribeURL ?? "");
    await client.send(new UnsubscribeCommand({ SubscriptionArn }));
    await publish({ Message: "after" });
    await vi.waitFor(() => expect(staying.messages().sort()).toEqual(["after", "before"]));
    expect(leaving.messages()).toEqual(["before"]);
  });
});
