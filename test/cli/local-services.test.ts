import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTopicCommand, ListTopicsCommand, SNSClient } from "@aws-sdk/client-sns";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli, runCliProcess, startCli } from "../support/cli-process.ts";
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
    await service.says("sandbox listen");
    const [, url] = /COLLECTION_API_URL=(\S+)/.exec(service.output.stdout) ?? [];
    const answer = await fetch(`${url}/api/v1/collections/c0113c70-0000-4000-8000-000000000001`, {
      headers: { "x-api-key": "live_local_4f1c0d7e9a2b48d3b6e5" },
    });
    expect(await answer.json()).toMatchObject({ status: "success", data: { collectionName: "School fees" } });
    service.child.kill("SIGTERM");
    expect(await service.ended).toBe(0);
    expect(service.output.stderr).toBe("");
  });

  it("both print a block of settings that a relay takes as it stands, and that works", async () => {
    const database = await createEmptyTestDatabase();
    onTestFinished(() => database.drop());
    const folder = await mkdtemp(join(tmpdir(), "settings-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const services = [
      startCli(["collection-service", "--port", "0"], { DATABASE_URL: database.url }),
      startCli(["local-sns", "--port", "0"]),
    ];
    await services[0]?.says("sandbox listen");
    await services[1]?.says("What was published");
    const blocks = services.map(({ output }) => output.stdout.split("\n\n")[1] ?? "");
    expect(
      blocks
        .join("\n")
        .split("\n")
        .map((line) => line.split("=")[0]),
    ).toEqual([
      "COLLECTION_API_URL",
      "COLLECTION_API_KEY",
      "COLLECTION_IDS",
      "SNS_TOPIC_ARN",
      "AWS_REGION",
      "AWS_ENDPOINT_URL_SNS",
      "AWS_ACCESS_KEY_ID",
      "AWS_SECRET_ACCESS_KEY",
    ]);
    const file = join(folder, "local.env");
    const rest = `DATABASE_URL=${database.url}\nPUBLIC_URL=http://127.0.0.1:4000\nCALLBACK_TOKENS=${"t".repeat(22)}`;
    await writeFile(file, [...blocks, rest].join("\n"));
    expect((await runCliProcess(["--settings", file, "migrate"])).code).toBe(0);
    const { stdout } = await runCliProcess(["--settings", file, "doctor", "--json"]);
    const { checks } = JSON.parse(stdout) as { checks: { about: string; state: string; says: string }[] };
    const outside = checks.filter(({ about }) => /^(settings|provider|topic)/.test(about));
    expect(outside.length).toBeGreaterThan(3);
    expect(outside.filter(({ state }) => state === "fault")).toEqual([]);
  });

  it("collection-service refuses a path of Get Banks that is none, and says how one looks", async () => {
    const database = await createEmptyTestDatabase();
    onTestFinished(() => database.drop());
    const words = ["collection-service", "--port", "0", "--banks-path", "api/v1/banks"];
    const { code, stderr } = await runCli(words, { DATABASE_URL: database.url });
    expect(code).toBe(1);
    expect(stderr).toContain("should begin with a slash and hold no query, such as /api/v1/banks");
  });
});
