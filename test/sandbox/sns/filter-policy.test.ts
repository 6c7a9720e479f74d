import { type MessageAttributeValue, PublishCommand, SubscribeCommand } from "@aws-sdk/client-sns";
import { describe, expect, it, vi } from "vitest";
import { snsFixture } from "./sns-fixture.ts";
import { startSubscriber, subscribe } from "./subscriber.ts";

type Attributes = Record<string, MessageAttributeValue>;
const text = (StringValue: string) => ({ DataType: "String", StringValue });
const number = (StringValue: string) => ({ DataType: "Number", StringValue });
const array = (...items: unknown[]) => ({ DataType: "String.Array", StringValue: JSON.stringify(items) });

/**
 * Publishes all to one FIFO group, the one that surely passes last: once it came, everything that passes has
 * come.
 */
async function passes(
  policy: unknown,
  scope: string,
  messages: { message: string; attributes: Attributes }[],
): Promise<boolean[]> {
  const { client, topic } = await snsFixture();
  const TopicArn = await topic("events.fifo");
  const subscriber = await startSubscriber();
  const settings = { FilterPolicy: JSON.stringify(policy), FilterPolicyScope: scope };
  await subscribe(client, TopicArn, subscriber, settings);
  const ids: (string | undefined)[] = [];
  for (const { message: Message, attributes: MessageAttributes } of messages) {
    const fifo = { MessageGroupId: "g", MessageDeduplicationId: `${ids.length}` };
    const { MessageId } = await client.send(
      new PublishCommand({ TopicArn, Message, MessageAttributes, ...fifo }),
    );
    ids.push(MessageId);
  }
  const arrived = () => subscriber.letters("Notification").map((letter) => letter.MessageId);
  await vi.waitFor(() => expect(arrived()).toContain(ids.at(-1)));
  return ids.map((id) => arrived().includes(id));
}

describe("filter policies on message attributes", () => {
  it.each<[string, unknown, Attributes[], Attributes]>([
    ["a text", { a: ["x"] }, [{ a: text("X") }, { a: text("xx") }, { b: text("x") }, {}], { a: text("x") }],
    ["one of several texts", { a: ["x", "y"] }, [{ a: text("z") }], { a: text("y") }],
    [
      "every key",
      { a: ["x"], b: ["y"] },
      [{ a: text("x") }, { a: text("x"), b: text("z") }],
      { a: text("x"), b: text("y") },
    ],
    ["one of an array", { a: ["x"] }, [{ a: array("y", "z") }, { a: array() }], { a: array("y", "x") }],
    ["a number", { a: [300] }, [{ a: number("301") }, { a: text("300") }], { a: number("3e2") }],
    ["an attribute that is there", { a: [{ exists: true }] }, [{ b: text("x") }, {}], { a: text("x") }],
    ["an attribute that is not", { a: [{ exists: false }] }, [{ a: text("x") }, {}], { b: text("x") }],
    [
      "a key that every object has",
      { constructor: [{ exists: true }] },
      [{ a: text("x") }],
      { constructor: text("x") },
    ],
  ])("let through %s", async (_, policy, refused, passing) => {
    const messages = [...refused, passing].map((attributes) => ({ message: "x", attributes }));
    const expected = [...refused.map(() => false), true];
    expect(await passes(policy, "MessageAttributes", messages)).toEqual(expected);
  });
});

describe("filter policies on the message body", () => {
  it.each<[string, unknown, unknown[], unknown]>([
    [
      "a nested text",
      { data: { type: ["Live"] } },
      [{ data: { type: "Test" } }, { type: "Live" }, []],
      { data: { type: "Live" } },
    ],
    ["a number", { data: { n: [1, 2] } }, [{ data: { n: "1" } }, { data: 1 }], { data: { n: 2 } }],
    [
      "true and null",
      { a: [true], b: [null] },
      [
        { a: true, b: 0 },
        { a: "true", b: null },
      ],
      { a: true, b: null },
    ],
    ["one of a list", { a: ["x"] }, [{ a: ["y"] }, { a: [] }], { a: ["y", "x"] }],
    [
      "both keys in one item of a list",
      { items: { a: [1], b: [2] } },
      [{ items: [{ a: 1 }, { b: 2 }] }],
      {
        items: [
          { a: 1, b: 3 },
          { a: 1, b: 2 },
        ],
      },
    ],
    ["a key that is not there", { a: { b: [{ exists: false }] } }, [{ a: { b: 1 } }], { a: {} }],
  ])("let through %s", async (_, policy, refused, passing) => {
    const messages = [...refused, passing].map((body) => ({ message: JSON.stringify(body), attributes: {} }));
    const expected = [...refused.map(() => false), true];
    expect(await passes(policy, "MessageBody", messages)).toEqual(expected);
  });

  it("let no body through that is not a JSON object", async () => {
    const bodies = ["no JSON", "[", "1", "null", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, `{"a":1}`];
    const messages = bodies.map((message) => ({ message, attributes: {} }));
    expect(await passes({ a: [1] }, "MessageBody", messages)).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
  });
});

describe("filter policies that are refused", () => {
  it.each<[string, string, string]>([
    ["no JSON", "{", "MessageAttributes"],
    ["a list", "[]", "MessageAttributes"],
    ["an empty list of values", `{"a":[]}`, "MessageAttributes"],
    ["a value outside a list", `{"a":"x"}`, "MessageAttributes"],
    ["nesting in attributes", `{"a":{"b":["x"]}}`, "MessageAttributes"],
    ["six keys", `{"a":[1],"b":[1],"c":[1],"d":[1],"e":[1],"f":[1]}`, "MessageAttributes"],
    [
      "151 combinations",
      JSON.stringify({ a: Array.from({ length: 151 }, (_, i) => i) }),
      "MessageAttributes",
    ],
    ["an operator that does not exist", `{"a":[{"like":"x"}]}`, "MessageAttributes"],
    ["an operator that only a real SNS knows", `{"a":[{"prefix":"x"}]}`, "MessageAttributes"],
    ["two operators in one", `{"a":[{"exists":true,"prefix":"y"}]}`, "MessageAttributes"],
    ["an existence that is a number", `{"a":[{"exists":1}]}`, "MessageAttributes"],
    ["a scope that does not exist", `{"a":["x"]}`, "Everything"],
    ["nesting without end", `${'{"a":'.repeat(5_000)}["x"]${"}".repeat(5_000)}`, "MessageBody"],
  ])("%s", async (_, FilterPolicy, FilterPolicyScope) => {
    const { client, topic } = await snsFixture();
    const subscriber = await startSubscriber();
    const command = new SubscribeCommand({
      TopicArn: await topic("events"),
      Protocol: "http",
      Endpoint: subscriber.url,
      Attributes: { FilterPolicy, FilterPolicyScope },
    });
    await expect(client.send(command)).rejects.toMatchObject({ name: "InvalidParameterException" });
    expect(subscriber.received).toEqual([]);
  });
});
