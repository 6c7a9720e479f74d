import { spawn } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createEmptyTestDatabase, queryOn } from "../support/database.ts";
import { type InstalledPackage, installEvents, installPackage } from "./install-package.ts";
import { NODE_20 } from "./node-20.ts";

// Written from docs/events/README.md alone.
const CONSUMER = `
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { confirmSubscription, onceOnly, parseInvoicePaid, postgresOnceOnly } from "invoice-relay-events";
import pg from "pg";

const trust = { topicArns: [process.env.TOPIC_ARN], trustedOrigins: [process.env.AWS_ENDPOINT_URL_SNS] };
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const store = postgresOnceOnly(pool);
await store.createTable();
await pool.query("create table booking (invoice_id uuid not null, amount numeric not null, reference text)");

const server = createServer(async (request, response) => {
  const body = await text(request);
  try {
    const type = request.headers["x-amz-sns-message-type"];
    if (type === "SubscriptionConfirmation") await confirmSubscription(body, trust);
    else {
      const [event] = await parseInvoicePaid(body, trust);
      const outcome = await onceOnly(store, event, async ({ data }, client) => {
        const { invoiceId, amount, reference } = data;
        await client.query("insert into booking values ($1, $2, $3)", [invoiceId, amount, reference]);
      });
      console.log(JSON.stringify({ outcome, invoiceId: event.data.invoiceId }));
    }
    response.writeHead(204).end();
  } catch (error) {
    console.log(JSON.stringify({ error: error.kind ?? error.message }));
    response.writeHead(error.retry === false ? 400 : 500).end();
  }
});
server.listen(0, () => console.log(JSON.stringify({ port: server.address().port })));
`;

const SUBSCRIBE = `
import { SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";
const FilterPolicy = JSON.stringify({ type: ["invoice.paid"], invoiceType: ["Live"] });
await new SNSClient({}).send(new SubscribeCommand({
  TopicArn: process.env.TOPIC_ARN, Protocol: "http", Endpoint: process.argv[2], Attributes: { FilterPolicy },
}));
`;

describe("a consumer on Node 20, written from the documents, in an empty folder", () => {
  let folder = "";
  let own = "";
  let run: InstalledPackage["run"];
  beforeAll(async () => {
    ({ folder, run } = await installPackage(["selfsigned"]));
    ({ folder: own } = await installEvents(["pg", "@aws-sdk/client-sns", NODE_20.package]));
    await writeFile(join(own, "consumer.mjs"), CONSUMER);
    await writeFile(join(own, "subscribe.mjs"), SUBSCRIBE);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await rm(own, { recursive: true, force: true });
  });

  /** A program that goes on until the test is over; resolves with its first line of JSON. */
  async function start(
    words: readonly string[],
    environment: Record<string, string>,
    { node, cwd } = { node: process.execPath, cwd: folder },
  ) {
    const child = spawn(node, [...words], {
      cwd,
      env: { PATH: process.env.PATH ?? "", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = new Promise<void>((done) => child.once("exit", () => done()));
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await ended;
    });
    const lines: Record<string, unknown>[] = [];
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (chunk) => {
      errors += chunk;
    });
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
    await vi.waitFor(() =>
      expect(
        lines.some((line) => "port" in line),
        errors,
      ).toBe(true),
    );
    return { lines, port: Number(lines.find((line) => "port" in line)?.port) };
  }

  const bin = "node_modules/.bin/invoice-relay";

  async function database(): Promise<string> {
    const { url, drop } = await createEmptyTestDatabase();
    onTestFinished(() => drop());
    return url;
  }

  it("receives a replayed and a live event, verifies them, and handles each once", async () => {
    const [relayDatabase, providerDatabase, ownDatabase] = [
      await database(),
      await database(),
      await database(),
    ];
    const sns = await start([bin, "--json", "local-sns", "--port", "0", "--topic", "invoice-events"], {});
    const provider = await start([bin, "--json", "collection-service", "--port", "0"], {
      DATABASE_URL: providerDatabase,
    });
    const aws = {
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
      AWS_ENDPOINT_URL_SNS: `http://127.0.0.1:${sns.port}`,
    };
    const topicArn = "arn:aws:sns:us-east-1:000000000000:invoice-events";
    const settings = {
      ...aws,
      PORT: "0",
      PUBLIC_URL: "https://relay.example.com",
      DATABASE_URL: relayDatabase,
      COLLECTION_API_URL: `http://127.0.0.1:${provider.port}`,
      COLLECTION_API_KEY: "live_local_4f1c0d7e9a2b48d3b6e5",
      CALLBACK_TOKENS: "token-of-the-callback-url",
      SNS_TOPIC_ARN: topicArn,
    };
    const relay = async (...words: string[]) =>
      JSON.parse((await run(process.execPath, [bin, "--json", ...words], settings)).stdout);
    await relay("migrate");
    const serving = await start([bin, "serve"], settings);

    /** Creates an invoice whose callback goes to the relay, and pays it on the payer's page. */
    async function pay(reference: string): Promise<string> {
      const created = await relay(
        ...["api", "create-invoice", "--data"],
        JSON.stringify({
          collectionId: "c0113c70-0000-4000-8000-000000000001",
          title: "School fees",
          payerName: "Ada Obi",
          payerEmail: "ada@example.com",
          payerPhoneNumber: "+2348012345678",
          amount: "1500.50",
          callBackUrl: `http://127.0.0.1:${serving.port}/callbacks/token-of-the-callback-url/${reference}`,
        }),
      );
      const { id, paymentUrl } = created;
      const page = await (await fetch(paymentUrl)).text();
      const [, action = ""] = /<form[^>]*\baction="([^"]+)"/.exec(page) ?? [];
      await fetch(new URL(action, paymentUrl), {
        method: "POST",
        body: new URLSearchParams({ method: "Card" }),
        redirect: "manual",
      });
      return id;
    }
    const published = (invoiceId: string) =>
      queryOn(
        relayDatabase,
        "select message_id from event join publication on event_id = event.id where invoice_id = $1",
        [invoiceId],
      );

    // Paid and published before anyone listened.
    const missed = await pay("order-1");
    await vi.waitFor(async () => expect(await published(missed)).toHaveLength(1));

    const environment = { ...aws, TOPIC_ARN: topicArn, DATABASE_URL: ownDatabase };
    const node20 = { node: join(own, NODE_20.binary), cwd: own };
    const consumer = await start(["consumer.mjs"], environment, node20);
    const words = [join(own, "subscribe.mjs"), `http://127.0.0.1:${consumer.port}/`];
    await run(node20.node, words, environment);
    const outcomes = (invoiceId: string) =>
      consumer.lines.filter((line) => line.invoiceId === invoiceId).map(({ outcome }) => outcome);

    const live = await pay("order-2");
    await vi.waitFor(() => expect(outcomes(live)).toEqual(["handled"]));
    expect(outcomes(missed)).toEqual([]);

    await relay("replay", "events", "--invoice", missed);
    await vi.waitFor(() => expect(outcomes(missed)).toEqual(["handled"]));
    await relay("replay", "events", "--invoice", missed, "--invoice", live);
    await vi.waitFor(() => {
      expect(outcomes(missed)).toEqual(["handled", "duplicate"]);
      expect(outcomes(live)).toEqual(["handled", "duplicate"]);
    });

    expect(await queryOn(ownDatabase, "select * from booking order by reference")).toEqual([
      { invoice_id: missed, amount: "1500.50", reference: "order-1" },
      { invoice_id: live, amount: "1500.50", reference: "order-2" },
    ]);
    expect(consumer.lines.filter((line) => "error" in line)).toEqual([]);
  });
});
