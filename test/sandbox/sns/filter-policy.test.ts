import { type MessageAttributeValue, SubscribeCommand } from "@aws-sdk/client-sns";
import { describe, expect, it, vi } from "vitest";
import { topicFixture } from "./sns-fixture.ts";
import { startSubscriber, subscribe } from "./subscriber.ts";

type Attributes = Record<string, MessageAttributeValue>;
const text = (StringValue: string) => ({ DataType: "String", StringValue });
const number = (StringValue: string) => ({ DataType: "Number", StringValue });

/**
 * Publishes all to one FIFO group, the one that surely passes last: once it came, everything that passes has
 * come.
 */
async function passes(policy: unknown, messages: readonly Attributes[]): Promise<boolean[]> {
  const { client, TopicArn, publish } = await topicFixture({}, "events.fifo");
  const subscriber = await startSubscriber();
  await subscribe(client, TopicArn, subscriber, { FilterPolicy: JSON.stringify(policy) });
  const ids: (string | undefined)[] = [];
  for (const MessageAttributes of messages) {
    const fifo = { MessageGroupId: "g", MessageDeduplicationId: `${ids.length}` };
    const { MessageId } = await publish({ Message: "x", MessageAttributes, ...fifo });
    ids.push(MessageId);
  }
  const arrived = () => subscriber.letters("Notification").map((letter) => letter.MessageId);
  await vi.waitFor(() => expect(arrived()).toContain(ids.at(-1)));
  return ids.map((id) => arrived().includes(id));
}

describe("filter policies on message attributes", () => {
  it.each<[string, unknown, Attributes[], Attributes]>([
    [
      "one of several texts, of every key",
      { a: ["x", "z"], b: ["y"] },
      [{}, { a: text("x") }, { a: text("X"), b: text("y") }, { a: text("xx"), b: text("y") }],
      { a: text("z"), b: text("y") },
    ],
    ["a number", { a: [300] }, [{ a: number("301") }, { a: text("300") }], { a: number("3e2") }],
    ["an attribute that is there", { a: [{ exists: true }] }, [{ b: text("x") }, {}], { a: text("x") }],
    ["an attribute that is not", { a: [{ exists: false }] }, [{ a: text("x") }, {}], { b: text("x") }],
  ])("let through %s", async (_, policy, refused, passing) => {
    const expected = [...refused.map(() => false), true];
    expect(await passes(policy, [...refused, passing])).toEqual(expected);
  });
});

it("filter policies that SNS, or this one, does not know are refused", async () => {
  const { client, TopicArn } = await topicFixture();
  const combinations = { a: Array.from({ length: 151 }, (_, i) => i) };
  const refused: [policy: string, said: string, scope?: string][] = [
    ["{", "failed to parse JSON."],
    ["[]", "Filter policy must be an object"],
    [`{"a":[]}`, "Empty arrays are not allowed"],
    [`{"a":"x"}`, `"a" must be an object or an array`],
    [`{"a":{"b":["x"]}}`, "does not support nested filter policy"],
    [`{"a":[1],"b":[1],"c":[1],"d":[1],"e":[1],"f":[1]}`, "more than 5 keys"],
    [JSON.stringify(combinations), "too complex"],
    [`{"a":[{"like":"x"}]}`, "Unrecognized match type like"],
    [`{"a":[{"prefix":"x"}]}`, "prefix is for a real one"],
    [`{"a":[{"exists":true,"prefix":"y"}]}`, "Only one key allowed"],
    [`{"a":[{"exists":1}]}`, "must be either true or false"],
    [`{"a":["x"]}`, "FilterPolicyScope", "MessageBody"],
  ];
  for (const [FilterPolicy, said, FilterPolicyScope = "MessageAttributes"] of refused) {
    const Attributes = { FilterPolicy, FilterPolicyScope };
    const target = { TopicArn, Protocol: "http", Endpoint: "http://127.0.0.1:9/", Attributes };
    await expect(client.send(new SubscribeCommand(target))).rejects.toMatchObject({
      name: "InvalidParameterException",
      message: expect.stringContaining(said),
    });
  }
});
