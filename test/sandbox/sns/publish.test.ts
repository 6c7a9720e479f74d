import {
  type MessageAttributeValue,
  PublishBatchCommand,
  type PublishBatchRequestEntry,
  PublishCommand,
} from "@aws-sdk/client-sns";
import { describe, expect, it } from "vitest";
import { snsFixture } from "./sns-fixture.ts";

const text = (StringValue: string): MessageAttributeValue => ({ DataType: "String", StringValue });

async function batchFixture() {
  const fixture = await snsFixture();
  const TopicArn = await fixture.topic("events");
  return {
    ...fixture,
    TopicArn,
    batch: (entries: PublishBatchRequestEntry[]) =>
      fixture.client.send(new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries: entries })),
  };
}

describe("Publish", () => {
  it("takes a message with subject and attributes, and keeps it under the id that it answered", async () => {
    const { sns, client, topic } = await snsFixture();
    const TopicArn = await topic("events");
    const { MessageId, SequenceNumber } = await client.send(
      new PublishCommand({
        TopicArn,
        Message: "hello",
        Subject: "Greetings",
        MessageAttributes: {
          id: text("1"),
          amount: { DataType: "Number", StringValue: "12.50" },
          bytes: { DataType: "Binary", BinaryValue: Buffer.from([0, 255]) },
        },
      }),
    );
    expect(SequenceNumber).toBeUndefined();
    expect(sns.messages(TopicArn)).toMatchObject([
      {
        messageId: MessageId,
        message: "hello",
        subject: "Greetings",
        messageAttributes: {
          id: { Type: "String", Value: "1" },
          amount: { Type: "Number", Value: "12.50" },
          bytes: { Type: "Binary", Value: "AP8=" },
        },
      },
    ]);
  });

  it("refuses content that SNS does not take as InvalidParameter, and keeps nothing", async () => {
    const { sns, client, topic } = await snsFixture();
    const TopicArn = await topic("events");
    for (const input of [
      { Message: "" },
      { Message: "a\0b" },
      { Message: "a\uffffb" },
      { Message: "\u00fc".repeat(131_073) },
      { Message: "x", Subject: "" },
      { Message: "x", Subject: "a\nb" },
      { Message: "x", Subject: "a".repeat(101) },
      { Message: "x", MessageDeduplicationId: "1" },
      { Message: `{"default":"x"}`, MessageStructure: "json" },
    ])
      await expect(client.send(new PublishCommand({ TopicArn, ...input }))).rejects.toMatchObject({
        name: "InvalidParameterException",
      });
    expect(sns.messages()).toEqual([]);
  });

  it("takes a message of exactly 262,144 bytes, attributes included", async () => {
    const { sns, client, topic } = await snsFixture();
    const TopicArn = await topic("events");
    const MessageAttributes = { name: text("value") };
    const Message = "x".repeat(262_144 - "name".length - "String".length - "value".length);
    await client.send(new PublishCommand({ TopicArn, Message, MessageAttributes }));
    await expect(
      client.send(new PublishCommand({ TopicArn, Message: `${Message}x`, MessageAttributes })),
    ).rejects.toMatchObject({ message: "Invalid parameter: Message too long" });
    expect(sns.messages()).toHaveLength(1);
  });

  it("refuses attributes that SNS does not take as ParameterValueInvalid", async () => {
    const { client, topic } = await snsFixture();
    const TopicArn = await topic("events");
    const refused: [string, MessageAttributeValue][] = [
      ["a", text("")],
      ["a", { DataType: "String" }],
      ["a", { DataType: "Text", StringValue: "x" }],
      ["a", { DataType: "Number", StringValue: "twelve" }],
      ["a", { DataType: "Binary", StringValue: "x" }],
      ["a b", text("x")],
      ["a..b", text("x")],
      ["a".repeat(257), text("x")],
    ];
    for (const [name, value] of refused)
      await expect(
        client.send(new PublishCommand({ TopicArn, Message: "x", MessageAttributes: { [name]: value } })),
      ).rejects.toMatchObject({ name: "InvalidParameterValueException", Code: "ParameterValueInvalid" });
  });
});

describe("PublishBatch", () => {
  it("answers every entry by its id, and keeps ten in their order", async () => {
    const { sns, batch } = await batchFixture();
    const ids = Array.from({ length: 10 }, (_, index) => `entry-${index}`);
    const { Successful, Failed } = await batch(ids.map((Id) => ({ Id, Message: `of ${Id}` })));
    expect(Failed).toEqual([]);
    expect(Successful?.map(({ Id }) => Id)).toEqual(ids);
    expect(sns.messages().map(({ message }) => message)).toEqual(ids.map((id) => `of ${id}`));
    expect(sns.messages().map(({ messageId }) => messageId)).toEqual(
      Successful?.map(({ MessageId }) => MessageId),
    );
  });

  it("fails the entry whose content is refused, as the sender's fault, and takes its neighbours", async () => {
    const { sns, batch } = await batchFixture();
    const { Successful, Failed } = await batch([
      { Id: "a", Message: "fine" },
      { Id: "b", Message: "broken \0" },
      { Id: "c", Message: "fine too" },
    ]);
    expect(Successful?.map(({ Id }) => Id)).toEqual(["a", "c"]);
    expect(Failed).toMatchObject([{ Id: "b", Code: "InvalidParameter", SenderFault: true }]);
    expect(sns.messages().map(({ message }) => message)).toEqual(["fine", "fine too"]);
  });

  it("takes 262,144 bytes in all, and not one more", async () => {
    const { sns, batch } = await batchFixture();
    const half = "x".repeat(131_072);
    await batch([
      { Id: "a", Message: half },
      { Id: "b", Message: half },
    ]);
    await expect(
      batch([
        { Id: "a", Message: half },
        { Id: "b", Message: `${half}x` },
      ]),
    ).rejects.toMatchObject({ name: "BatchRequestTooLongException", Code: "BatchRequestTooLong" });
    expect(sns.messages()).toHaveLength(2);
  });

  it.each<[string, PublishBatchRequestEntry[], string]>([
    ["no entries", [], "EmptyBatchRequestException"],
    [
      "eleven entries",
      Array.from({ length: 11 }, (_, index) => ({ Id: `${index}`, Message: "x" })),
      "TooManyEntriesInBatchRequestException",
    ],
    [
      "the same id twice",
      [
        { Id: "a", Message: "x" },
        { Id: "a", Message: "y" },
      ],
      "BatchEntryIdsNotDistinctException",
    ],
    ["an id with a space", [{ Id: "a b", Message: "x" }], "InvalidBatchEntryIdException"],
    ["an entry without an id", [{ Id: undefined, Message: "x" }], "InvalidBatchEntryIdException"],
    [
      "an attribute that is refused",
      [
        { Id: "a", Message: "x" },
        { Id: "b", Message: "y", MessageAttributes: { a: text("") } },
      ],
      "InvalidParameterValueException",
    ],
  ])("refuses the whole request for %s, and keeps nothing", async (_, entries, name) => {
    const { sns, batch } = await batchFixture();
    await expect(batch(entries)).rejects.toMatchObject({ name });
    expect(sns.messages()).toEqual([]);
  });
});

describe("memory (G8)", () => {
  it("keeps the last messages only, and says how many it forgot", async () => {
    const { sns, client, topic } = await snsFixture({ keep: 3 });
    const TopicArn = await topic("events");
    for (const Message of ["1", "2", "3", "4", "5"])
      await client.send(new PublishCommand({ TopicArn, Message }));
    expect(sns.messages().map(({ message }) => message)).toEqual(["3", "4", "5"]);
    const answer = await fetch(`${sns.url}/_control/messages`);
    expect(await answer.json()).toMatchObject({ forgotten: 2 });
  });
});
