import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PublishCommand } from "@aws-sdk/client-sns";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { snsFixture } from "../sandbox/sns/sns-fixture.ts";
import { createEmptyTestDatabase, ownDatabaseUrl, queryOn } from "../support/database.ts";
import { startLocalSqs } from "../support/local-sqs.ts";

const root = resolve(import.meta.dirname, "../..");
const text = readFileSync(join(import.meta.dirname, "published/v1/payloads/full.json"), "utf8");
const event = JSON.parse(text);
const live = { type: "invoice.paid", invoiceType: "Live", collection: "Term 1" };

/**
 * A consumer's own project: the examples as they are, and what they import; the package is linked to its
 * sources.
 */
const project = mkdtempSync(join(tmpdir(), "invoice-relay-consumer-"));
beforeAll(() => {
  cpSync(join(root, "examples"), project, { recursive: true });
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
  mkdirSync(join(project, "node_modules"));
  symlinkSync(join(root, "src/events"), join(project, "node_modules/invoice-relay-events"));
  for (const name of ["pg", "@aws-sdk"])
    symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name));
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Runs an example as its own process, as its first lines say, and gives what it printed so far. */
function run(example: string, words: string[], environment: Record<string, string>) {
  const { PATH = "" } = process.env;
  const aws = { AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
  const program = ["--conditions=@invoice-relay/source", join(project, example), ...words];
  const child = spawn(process.execPath, program, { env: { PATH, ...aws, ...environment } });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  const ended = once(child, "exit").then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { ended, printed: () => printed };
}

const eventually = <Result>(look: () => Result) => vi.waitFor(look, { interval: 50 });

const attributes = (values: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { DataType: "String", StringValue: value }]),
  );

describe("the examples for consumers", () => {
  it("http-consumer confirms its subscription, and books each payment that its filter policy lets in once", async () => {
    const { sns, client, topic } = await snsFixture();
    const TOPIC_ARN = await topic("invoice-events", { SignatureVersion: "2" });
    const DATABASE_URL = await ownDatabaseUrl(createEmptyTestDatabase);
    const environment = { TOPIC_ARN, DATABASE_URL, SNS_ORIGIN: sns.url, PORT: "0" };
    const consumer = run("http-consumer.ts", [], environment);
    const port = await eventually(() => {
      const [, found] = /listening on (\d+)/.exec(consumer.printed()) ?? [];
      expect(found, consumer.printed()).toBeDefined();
      return found;
    });
    const subscribing = run("subscribe.ts", ["http", `http://127.0.0.1:${port}/paid`], {
      ...{ TOPIC_ARN, COLLECTION: "Term 1", AWS_ENDPOINT_URL_SNS: sns.url },
    });
    expect(await subscribing.ended, subscribing.printed()).toBe(0);

    const publish = (message: string, values: Record<string, string>) =>
      client.send(
        new PublishCommand({ TopicArn: TOPIC_ARN, Message: message, MessageAttributes: attributes(values) }),
      );
    await eventually(() => expect(sns.deliveries().length).toBeGreaterThan(0));
    const other = text.replaceAll(event.id, "11111111-1111-5111-8111-111111111111");
    await publish(other, { ...live, invoiceType: "Test" });
    await publish(other, { ...live, collection: "Term 2" });
    for (let copy = 0; copy < 3; copy += 1) await publish(text, live);

    await eventually(() => expect(consumer.printed().match(/duplicate/g)).toHaveLength(2));
    expect(consumer.printed().match(/handled/g)).toHaveLength(1);
    expect(await queryOn(DATABASE_URL, "select * from booking")).toEqual([
      { invoice_id: event.data.invoiceId, amount: "1500.50", payer: "Ada Obi" },
    ]);
    const forged = await fetch(`http://127.0.0.1:${port}/paid`, { method: "POST", body: text });
    expect(forged.status).toBe(400);
  });

  it("sqs-consumer deletes what it handled and leaves what it cannot read", async () => {
    const [sqs, databaseUrl] = [await startLocalSqs(), await ownDatabaseUrl(createEmptyTestDatabase)];
    const envelope = JSON.stringify({
      ...{ Type: "Notification", MessageId: "m", Message: text, Timestamp: "2026-11-01T09:00:02.000Z" },
      TopicArn: "arn:aws:sns:us-east-1:000000000000:invoice-events",
    });
    for (const body of [text, envelope, "no event"]) sqs.put(body);
    const consumer = run("sqs-consumer.ts", [], {
      QUEUE_URL: sqs.queueUrl,
      DATABASE_URL: databaseUrl,
      AWS_ENDPOINT_URL_SQS: sqs.url,
    });

    await eventually(() => expect(sqs.bodies(), consumer.printed()).toEqual(["no event"]));
    const outcomes = consumer.printed().match(/^(handled|duplicate)/gm);
    expect(outcomes?.sort()).toEqual(["duplicate", "handled"]);
  });

  it("lambda-consumer reports the records that failed, and those only", async () => {
    const databaseUrl = await ownDatabaseUrl(createEmptyTestDatabase);
    await queryOn(
      databaseUrl,
      `create table booking (invoice_id uuid primary key, amount numeric not null, payer text);
       create table handled_event (event_id uuid primary key, handled_at timestamptz not null default now())`,
    );
    const Records = [text, "no event", text].map((body, index) => ({ messageId: `m${index}`, body }));
    writeFileSync(
      join(project, "invoke.ts"),
      `import { close, handler } from "./lambda-consumer.ts";
       console.log(JSON.stringify(await handler(JSON.parse(process.argv[2]))));
       await close();`,
    );
    // EventBridge Pipes hands over the records alone.
    for (const given of [{ Records }, Records]) {
      const invoked = run("invoke.ts", [JSON.stringify(given)], { DATABASE_URL: databaseUrl });
      expect(await invoked.ended, invoked.printed()).toBe(0);
      expect(invoked.printed()).toContain('{"batchItemFailures":[{"itemIdentifier":"m1"}]}\n');
    }
    expect(await queryOn(databaseUrl, "select amount from booking")).toEqual([{ amount: "1500.50" }]);
  });
});
