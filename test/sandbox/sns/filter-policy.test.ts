import { SubscribeCommand } from "@aws-sdk/client-sns";
import { describe, expect, it } from "vitest";
import { letsThrough, readFilterPolicy } from "../../../src/sandbox/sns/filter-policy.ts";
import { topicFixture } from "./sns-fixture.ts";

type Texts = Record<string, string>;
const passes = (policy: unknown, texts: Texts) =>
  letsThrough(
    readFilterPolicy(JSON.stringify(policy)),
    new Map(Object.entries(texts).map(([name, value]) => [name, { value }])),
  );

describe("filter policies on message attributes", () => {
  it.each<[string, unknown, Texts[], Texts]>([
    [
      "one of several texts, of every key",
      { a: ["x", "z"], b: ["y"] },
      [{}, { a: "x" }, { a: "X", b: "y" }, { a: "xx", b: "y" }],
      { a: "z", b: "y" },
    ],
    ["an attribute that is there", { a: [{ exists: true }] }, [{ b: "x" }, {}], { a: "x" }],
    ["an attribute that is not", { a: [{ exists: false }] }, [{ a: "x" }, {}], { b: "x" }],
  ])("let through %s", (_, policy, refused, passing) => {
    expect(refused.map((texts) => passes(policy, texts))).toEqual(refused.map(() => false));
    expect(passes(policy, passing)).toBe(true);
  });

  it("that this one does not know are refused", async () => {
    const { client, TopicArn } = await topicFixture();
    for (const [FilterPolicy, FilterPolicyScope = "MessageAttributes"] of [
      ["{"],
      ["[]"],
      ['{"a":[]}'],
      ['{"a":"x"}'],
      ['{"a":[{"prefix":"x"}]}'],
      ['{"a":[{"exists":true,"prefix":"y"}]}'],
      ['{"a":["x"]}', "MessageBody"],
    ] as [string, string?][]) {
      const Attributes = { FilterPolicy, FilterPolicyScope };
      const target = { TopicArn, Protocol: "http", Endpoint: "http://127.0.0.1:9/", Attributes };
      await expect(client.send(new SubscribeCommand(target))).rejects.toMatchObject({
        name: "InvalidParameterException",
      });
    }
  });
});
