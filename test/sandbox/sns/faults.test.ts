import { ListTopicsCommand, PublishBatchCommand, PublishCommand } from "@aws-sdk/client-sns";
import { describe, expect, it, vi } from "vitest";
import { snsFixture } from "./sns-fixture.ts";
import { startSubscriber, subscribe } from "./subscriber.ts";

async function faultFixture() {
  const fixture = await snsFixture();
  const TopicArn = await fixture.topic("events");
  const control = (method: string, path: string, body?: unknown) =>
    fetch(`${fixture.sns.url}/_control/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    ...fixture,
    TopicArn,
    control,
    publish: (Message: string) => fixture.client.send(new PublishCommand({ TopicArn, Message })),
    batch: (...messages: string[]) =>
      fixture.client.send(
        new PublishBatchCommand({
          TopicArn,
          PublishBatchRequestEntries: messages.map((Message, index) => ({ Id: `${index}`, Message })),
        }),
      ),
  };
}

describe("injected faults", () => {
  it.each([
    ["throttle", "ThrottledException", 429],
    ["internal-error", "InternalErrorException", 500],
    ["refuse-credentials", "InvalidClientTokenId", 403],
    ["topic-missing", "NotFoundException", 404],
  ])("%s: so many calls are refused as %s, and nothing of them is kept", async (kind, name, status) => {
    const { sns, control, publish } = await faultFixture();
    await control("POST", "faults", { kind, times: 2 });
    for (const message of ["1", "2"]) {
      await expect(publish(message)).rejects.toMatchObject({ name, $metadata: { httpStatusCode: status } });
    }
    await publish("3");
    expect(sns.messages().map(({ message }) => message)).toEqual(["3"]);
  });

  it("drop: the message is accepted, and the connection cut without an answer", async () => {
    const { sns, control, publish } = await faultFixture();
    await control("POST", "faults", { kind: "drop" });
    await expect(publish("accepted")).rejects.toThrow();
    expect(sns.messages().map(({ message }) => message)).toEqual(["accepted"]);
  });

  it("empty-answer: 200 says nothing of any entry, and nothing is accepted", async () => {
    const { sns, control, batch } = await faultFixture();
    await control("POST", "faults", { kind: "empty-answer" });
    const answer = await batch("lost").catch(() => ({ Successful: [] }));
    expect(answer.Successful ?? []).toEqual([]);
    expect(sns.messages()).toEqual([]);
  });

  it("hang: nothing is accepted and nothing answered, until the endpoint stops", async () => {
    const { sns, control, publish } = await faultFixture();
    await control("POST", "faults", { kind: "hang", action: "Publish" });
    const hanging = publish("lost").then(
      () => "answered",
      () => "cut",
    );
    await vi.waitFor(async () =>
      expect(await (await control("GET", "faults")).json()).toEqual({ faults: [] }),
    );
    expect(sns.messages()).toEqual([]);
    await sns.close();
    expect(await hanging).toBe("cut");
  });

  it("slow: an answer comes only after the delay, while others pass it", async () => {
    const { control, publish } = await faultFixture();
    await control("POST", "faults", { kind: "slow", delayMs: 5_000 });
    const finished: string[] = [];
    const slow = publish("slow").then(() => finished.push("slow"));
    await vi.waitFor(async () =>
      expect(await (await control("GET", "faults")).json()).toEqual({ faults: [] }),
    );
    await publish("quick").then(() => finished.push("quick"));
    await slow;
    expect(finished).toEqual(["quick", "slow"]);
  });

  it("strike only the action and the topic that they name", async () => {
    const { client, topic, control, publish, TopicArn } = await faultFixture();
    const other = await topic("other");
    await control("POST", "faults", [
      { kind: "throttle", action: "PublishBatch" },
      { kind: "throttle", topicArn: other },
    ]);
    await expect(publish("fine")).resolves.toBeTruthy();
    await expect(client.send(new ListTopicsCommand({}))).resolves.toBeTruthy();
    await expect(client.send(new PublishCommand({ TopicArn: other, Message: "x" }))).rejects.toThrow();
    const PublishBatchRequestEntries = [{ Id: "1", Message: "x" }];
    await expect(
      client.send(new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries })),
    ).rejects.toThrow();
  });

  it.each([
    [true, "InvalidParameter"],
    [false, "InternalError"],
  ])("fail-entries: only what holds the text fails, sender's fault %s", async (senderFault, Code) => {
    const { sns, control, batch, publish } = await faultFixture();
    await control("POST", "faults", { kind: "fail-entries", senderFault, matching: "poison", times: 3 });
    const { Successful, Failed } = await batch("a", "poison 1", "b", "poison 2");
    expect(Successful?.map(({ Id }) => Id)).toEqual(["0", "2"]);
    expect(Failed).toMatchObject([
      { Id: "1", Code, SenderFault: senderFault },
      { Id: "3", Code, SenderFault: senderFault },
    ]);
    await expect(publish("poison 3")).rejects.toMatchObject({ Code });
    await publish("poison 4");
    expect(sns.messages().map(({ message }) => message)).toEqual(["a", "b", "poison 4"]);
  });

  it("are taken back by DELETE", async () => {
    const { control, publish } = await faultFixture();
    await control("POST", "faults", { kind: "throttle", times: 100 });
    expect((await control("DELETE", "faults")).status).toBe(204);
    await expect(publish("fine")).resolves.toBeTruthy();
  });

  it("are refused with 400 and the reason when nobody knows them", async () => {
    const { control, publish } = await faultFixture();
    for (const fault of [{ kind: "explode" }, { kind: "throttle", tmies: 3 }, { kind: "drop", times: 0 }]) {
      const answer = await control("POST", "faults", fault);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toEqual({ error: expect.any(String) });
    }
    await expect(publish("fine")).resolves.toBeTruthy();
  });
});

describe("the control routes", () => {
  it("show accepted messages and ends of deliveries by topic, and forget them", async () => {
    const { client, topic, control, publish, TopicArn } = await faultFixture();
    const other = await topic("other");
    const subscriber = await startSubscriber();
    await subscribe(client, TopicArn, subscriber);
    await publish("a");
    await client.send(new PublishCommand({ TopicArn: other, Message: "b" }));
    const read = async (path: string) => (await control("GET", path)).json();
    const query = `?topic=${encodeURIComponent(TopicArn)}`;
    expect(await read(`messages${query}`)).toMatchObject({
      messages: [{ message: "a", topicArn: TopicArn }],
    });
    expect(await read("messages")).toMatchObject({ messages: [{ message: "a" }, { message: "b" }] });
    await vi.waitFor(async () =>
      expect(await read(`deliveries${query}`)).toMatchObject({
        deliveries: [{ type: "SubscriptionConfirmation" }, { type: "Notification", outcome: "delivered" }],
      }),
    );
    await control("DELETE", "messages");
    await control("DELETE", "deliveries");
    expect(await read("messages")).toEqual({ messages: [], forgotten: 2 });
    expect(await read("deliveries")).toEqual({ deliveries: [], forgotten: 2 });
    expect((await control("GET", "secrets")).status).toBe(404);
  });

  it("show more messages than are written at once", async () => {
    const { control, batch } = await faultFixture();
    const wanted = Array.from({ length: 450 }, (_, index) => `${index}`);
    for (let from = 0; from < wanted.length; from += 10) await batch(...wanted.slice(from, from + 10));
    const { messages } = (await (await control("GET", "messages")).json()) as {
      messages: { message: string }[];
    };
    expect(messages.map(({ message }) => message)).toEqual(wanted);
  });
});
