import type { MessageAttributeValue, PublishBatchRequestEntry } from "@aws-sdk/client-sns";
import { describe, expect, it } from "vitest";
import { topicFixture } from "./sns-fixture.ts";

const text = (StringValue: string): MessageAttributeValue => ({ DataType: "String", StringValue });
const entriesOf = (...messages: string[]) => messages.map((Message, nth) => ({ Id: `${nth}`, Message }));

describe("Publish", () => {
  it("fails as it is told over HTTP, until that is over", async () => {
    const { sns, publish } = await topicFixture();
    const control = async (method: string, fault?: object) =>
      (await fetch(`${sns.url}/_control/faults`, { method, body: JSON.stringify(fault) ?? null })).status;
    expect(await control("POST", { kind: "throttle", times: 2 })).toBe(204);
    await expect(publish({ Message: "1" })).rejects.toMatchObject({ name: "ThrottledException" });
    expect(await control("DELETE")).toBe(204);
    expect((await publish({ Message: "2" })).MessageId).toBeDefined();
  });

  it("refuses content and attributes that SNS does not take, each by its own error, and keeps nothing", async () => {
    const { sns, publish } = await topicFixture();
    const contents = [{ Message: "" }, { Message: "a\0b" }];
    for (const input of [...contents, { Message: "x", MessageDeduplicationId: "1" }])
      await expect(publish(input)).rejects.toMatchObject({ name: "InvalidParameterException" });
    const attributes: [string, MessageAttributeValue][] = [
      ["a", text("")],
      ["a", { DataType: "Number", StringValue: "12" }],
      ["a b", text("x")],
    ];
    for (const [name, value] of attributes)
      await expect(publish({ Message: "x", MessageAttributes: { [name]: value } })).rejects.toMatchObject({
        ...{ name: "InvalidParameterValueException", Code: "ParameterValueInvalid" },
      });
    expect(sns.messages()).toEqual([]);
  });
});

describe("PublishBatch", () => {
  it("fails the entry whose content is refused, as the sender's fault, and takes its neighbours", async () => {
    const { sns, batch } = await topicFixture();
    const { Successful, Failed } = await batch(entriesOf("fine", "broken \0", "fine too"));
    expect(Successful?.map(({ Id }) => Id)).toEqual(["0", "2"]);
    expect(Failed).toMatchObject([{ Id: "1", Code: "InvalidParameter", SenderFault: true }]);
    expect(sns.messages().map(({ message }) => message)).toEqual(["fine", "fine too"]);
  });

  const odd = { Id: "b", Message: "y", MessageAttributes: { a: text("") } };
  it.each<[string, PublishBatchRequestEntry[], string]>([
    ["no entries", [], "EmptyBatchRequest"],
    ["eleven entries", entriesOf(..."abcdefghijk"), "TooManyEntriesInBatchRequest"],
    ["the same id twice", ["x", "y"].map((Message) => ({ Id: "a", Message })), "BatchEntryIdsNotDistinct"],
    ["an id with a space", [{ Id: "a b", Message: "x" }], "InvalidBatchEntryId"],
    ["an attribute that is refused", [...entriesOf("x"), odd], "InvalidParameterValue"],
  ])("refuses the whole request for %s, and keeps nothing", async (_, entries, name) => {
    const { sns, batch } = await topicFixture();
    await expect(batch(entries)).rejects.toMatchObject({ name: `${name}Exception` });
    expect(sns.messages()).toEqual([]);
  });
});

it("262,144 bytes for a message with its attributes, or for a batch, and not one more", async () => {
  const { sns, publish, batch } = await topicFixture();
  const MessageAttributes = { name: text("value") };
  const Message = "x".repeat(262_144 - "nameStringvalue".length);
  await publish({ Message, MessageAttributes });
  for (const tooLong of [{ Message: `${Message}x`, MessageAttributes }, { Message: "ü".repeat(131_073) }])
    await expect(publish(tooLong)).rejects.toMatchObject({ name: "InvalidParameterException" });
  const half = "x".repeat(131_072);
  await batch(entriesOf(half, half));
  await expect(batch(entriesOf(half, `${half}x`))).rejects.toMatchObject({
    ...{ name: "BatchRequestTooLongException", Code: "BatchRequestTooLong" },
  });
  expect(sns.messages()).toHaveLength(3);
});

it("the last messages only are kept (G8)", async () => {
  const { sns, batch } = await topicFixture({ keep: 3 });
  await batch(entriesOf("1", "2", "3", "4", "5"));
  expect(sns.messages().map(({ message }) => message)).toEqual(["3", "4", "5"]);
});
