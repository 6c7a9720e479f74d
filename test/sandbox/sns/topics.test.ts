import {
  CreateTopicCommand,
  GetTopicAttributesCommand,
  InvalidParameterException,
  NotFoundException,
  PublishCommand,
} from "@aws-sdk/client-sns";
import { describe, expect, it } from "vitest";
import { snsFixture } from "./sns-fixture.ts";

describe("topics of the local SNS", () => {
  it("are made once: the same name again gives the same ARN, in the region asked for", async () => {
    const { topic } = await snsFixture({ region: "eu-west-1" });
    const first = await topic("invoice-events");
    expect(first).toBe("arn:aws:sns:eu-west-1:000000000000:invoice-events");
    expect(await topic("invoice-events")).toBe(first);
    await expect(topic("invoice-events", { SignatureVersion: "2" })).rejects.toThrow(
      InvalidParameterException,
    );
  });

  it("are refused as InvalidParameter for a name or an attribute that SNS does not take", async () => {
    const { client } = await snsFixture();
    const refused: [string, Record<string, string>][] = [
      ["", {}],
      ["a b", {}],
      ["a".repeat(257), {}],
      ["a.fifo", {}],
      ["a", { FifoTopic: "true" }],
      ["a", { ContentBasedDeduplication: "true" }],
      ["a", { constructor: "x" }],
      ["a", { SignatureVersion: "3" }],
    ];
    for (const [Name, Attributes] of refused)
      await expect(client.send(new CreateTopicCommand({ Name, Attributes }))).rejects.toMatchObject({
        name: "InvalidParameterException",
        $fault: "client",
        $metadata: { httpStatusCode: 400 },
      });
  });

  it("that nobody made are not found", async () => {
    const { client } = await snsFixture();
    const TopicArn = "arn:aws:sns:us-east-1:000000000000:a";
    await expect(client.send(new GetTopicAttributesCommand({ TopicArn }))).rejects.toThrow(NotFoundException);
    await expect(client.send(new PublishCommand({ TopicArn, Message: "x" }))).rejects.toMatchObject({
      name: "NotFoundException",
      message: "Topic does not exist",
      $metadata: { httpStatusCode: 404 },
    });
    for (const elsewhere of ["nonsense", "arn:aws:sns:eu-west-1:000000000000:a", `${TopicArn}:b`])
      await expect(client.send(new PublishCommand({ TopicArn: elsewhere, Message: "x" }))).rejects.toThrow(
        InvalidParameterException,
      );
  });
});
