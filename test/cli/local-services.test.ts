import { CreateTopicCommand, ListTopicsCommand, SNSClient } from "@aws-sdk/client-sns";
import { describe, expect, it, onTestFinished } from "vitest";
import { startCli } from "../support/cli-process.ts";
import { createEmptyTestDatabase } from "../support/database.ts";

describe("the local services, each alone", () => {
  it("local-sns serves the AWS SDK with the topics it was told to make, and stops at SIGTERM", async () => {
    const service = startCli(["local-sns", "--port", "0", "--topic", "one", "two.fifo", "--json"]);
    await service.says("topics");
    const { url, topics } = JSON.parse(service.output.stdout);
    const client = new SNSClient({
      endpoint: url,
      region: "us-east-1",
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
    });
    onTestFinished(() => client.destroy());
    const { TopicArn } = await client.send(new CreateTopicCommand({ Name: "three" }));
    const { Topics = [] } = await client.send(new ListTopicsCommand({}));
    expect(Topics.map((topic) => topic.TopicArn)).toEqual([...topics, TopicArn]);
    service.child.kill("SIGTERM");
    expect(await service.ended).toBe(0);
  });

  it("local-sns says why it cannot make a topic, and ends", async () => {
    const service = startCli(["local-sns", "--port", "0", "--topic", "not a name"]);
    expect(await service.ended).toBe(1);
    expect(service.output.stderr).toContain("The local SNS refused CreateTopic");
  });

  it("collection-service answers with its seed on a database of one's own, and stops at SIGTERM", async () => {
    const database = await createEmptyTestDatabase();
    onTestFinished(() => database.drop());
    const service = startCli(["collection-service", "--port", "0"], { DATABASE_URL: database.url });
    await service.says("Set COLLECTION_API_URL=");
    const [, url] = /COLLECTION_API_URL=(\S+)/.exec(service.output.stdout) ?? [];
    const answer = await fetch(`${url}/api/v1/collections/c0113c70-0000-4000-8000-000000000001`, {
      headers: { "x-api-key": "live_local_4f1c0d7e9a2b48d3b6e5" },
    });
    expect(await answer.json()).toMatchObject({ status: "success", data: { collectionName: "School fees" } });
    service.child.kill("SIGTERM");
    expect(await service.ended).toBe(0);
    expect(service.output.stderr).toBe("");
  });
});
