import { GetTopicAttributesCommand, PublishCommand } from "@aws-sdk/client-sns";
import { describe, expect, it } from "vitest";
import { entriesOf, snsFixture, topicFixture } from "./sns-fixture.ts";

async function faultFixture() {
  const fixture = await topicFixture();
  const control = (method: string, path: string, body?: unknown) =>
    fetch(`${fixture.sns.url}/_control/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { ...fixture, control };
}

describe("what is no request of the Query protocol", () => {
  const SIGNED = { authorization: "AWS4-HMAC-SHA256 Credential=local" };
  it.each([
    ["without credentials", "Action=CreateTopic", {}, 403, "MissingAuthenticationToken"],
    ["without an action", "", SIGNED, 400, "InvalidAction"],
    ["of no action of SNS", "Action=constructor", SIGNED, 400, "InvalidAction"],
    ["of a name too deep", `Action=CreateTopic&${"a.".repeat(8)}a=1`, SIGNED, 400, "MalformedQueryString"],
    [
      "larger than any",
      `Action=Publish&Message=${"x".repeat(9_000_000)}`,
      SIGNED,
      413,
      "RequestEntityTooLarge",
    ],
  ])("is refused in the protocol's own form: %s", async (_, body, headers, status, code) => {
    const { sns } = await snsFixture();
    const answer = await fetch(sns.url, { method: "POST", body, headers });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/xml"]);
    expect(await answer.text()).toMatch(new RegExp(`<Type>Sender</Type>\\s*<Code>${code}</Code>`));
  });
});

describe("injected faults", () => {
  it("strike only the action and the topic that they name", async () => {
    const { client, topic, control, publish, batch, TopicArn } = await faultFixture();
    const other = await topic("other");
    await control("POST", "faults", [
      { kind: "throttle", action: "PublishBatch" },
      { kind: "throttle", topicArn: other },
    ]);
    await expect(publish({ Message: "fine" })).resolves.toBeTruthy();
    await expect(client.send(new GetTopicAttributesCommand({ TopicArn }))).resolves.toBeTruthy();
    await expect(client.send(new PublishCommand({ TopicArn: other, Message: "x" }))).rejects.toThrow();
    await expect(batch(entriesOf("x"))).rejects.toThrow();
  });

  it("are refused with 400 and the reason when nobody knows them", async () => {
    const { control, publish } = await faultFixture();
    for (const fault of [{ kind: "explode" }, { kind: "throttle", tmies: 3 }, { kind: "drop", times: 0 }]) {
      const answer = await control("POST", "faults", fault);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toEqual({ error: expect.any(String) });
    }
    await expect(publish({ Message: "fine" })).resolves.toBeTruthy();
  });
});

it("the control routes show accepted messages by topic, and end faults", async () => {
  const { client, topic, control, publish, TopicArn } = await faultFixture();
  const other = await topic("other");
  await publish({ Message: "a" });
  await client.send(new PublishCommand({ TopicArn: other, Message: "b" }));
  const read = async (path: string) => (await control("GET", path)).json();
  expect(await read(`messages?topic=${encodeURIComponent(TopicArn)}`)).toMatchObject({
    messages: [{ message: "a", topicArn: TopicArn }],
  });
  expect(await read("messages")).toMatchObject({ messages: [{ message: "a" }, { message: "b" }] });
  await control("POST", "faults", { kind: "throttle", times: 9 });
  await control("DELETE", "faults");
  await expect(publish({ Message: "fine" })).resolves.toBeTruthy();
  expect((await control("GET", "secrets")).status).toBe(404);
});
