import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { PublishCommand, SubscribeCommand } from "@aws-sdk/client-sns";
import pg from "pg";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { stringToSign } from "../../src/sandbox/sns/delivery.ts";
import { snsFixture } from "../../test/sandbox/sns/sns-fixture.ts";
import { createEmptyTestDatabase } from "../../test/support/database.ts";
import { startLocalSqs } from "../../test/support/local-sqs.ts";
import { ownPort } from "../../test/support/own-port.ts";
import { startServer } from "../../test/support/own-server.ts";
import { testSigner } from "../../test/support/signer.ts";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const examples = join(root, "examples");
const text = readFileSync(join(root, "test/events/published/v1/payloads/full.json"), "utf8");
const event = JSON.parse(text);
const signer = await testSigner();
const eventually = <Result>(look: () => Result) => vi.waitFor(look, { interval: 50 });

const builds = mkdtempSync(join(tmpdir(), "invoice-relay-recipes-"));
afterAll(() => rmSync(builds, { recursive: true, force: true }));
const PATH = process.env.PATH ?? "";

interface QueueConsumer {
  /** The form of DATABASE_URL that the program takes. */
  databaseUrl(url: URL): string;
  /** Fetches its libraries from where the language has them. @returns the command that runs it */
  prepare(): Promise<[string, ...string[]]>;
}

/** The consumers of examples/ that read an SQS queue, by language. */
const QUEUE_CONSUMERS: Record<string, QueueConsumer> = {
  Python: {
    databaseUrl: (url) => url.href,
    async prepare() {
      const venv = join(builds, "python");
      await execute("python3", ["-m", "venv", venv]);
      await execute(join(venv, "bin/pip"), ["install", "--quiet", "boto3", "psycopg[binary]"]);
      return [join(venv, "bin/python"), join(examples, "python/consumer.py")];
    },
  },
  Go: {
    databaseUrl: (url) => `${url.href}?sslmode=disable`,
    async prepare() {
      const program = join(builds, "consumer");
      await execute("go", ["build", "-o", program, "."], { cwd: join(examples, "go") });
      return [program];
    },
  },
  Java: {
    databaseUrl: ({ host, pathname, username, password }) =>
      `jdbc:postgresql://${host}${pathname}?user=${username}&password=${password}`,
    async prepare() {
      const jars = join(builds, "jars");
      const words = ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${jars}`];
      await execute("mvn", words, { cwd: join(examples, "java") });
      return ["java", "-cp", `${jars}/*`, join(examples, "java/Consumer.java")];
    },
  },
};

interface Program {
  printed: () => string;
  /** How often it printed this word before the event's invoice. */
  count: (word: string) => number;
  isRunning: () => boolean;
}

function run([program, ...words]: [string, ...string[]], environment: Record<string, string>): Program {
  const child = spawn(program, words, { env: { PATH, ...environment }, detached: true });
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += chunk));
  child.stderr.on("data", (chunk) => (printed += chunk));
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  onTestFinished(async () => {
    // PHP's workers are children of its own.
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await ended;
  });
  return {
    printed: () => printed,
    count: (word) => printed.split(`${word} ${event.data.invoiceId}`).length - 1,
    isRunning: () => child.exitCode === null,
  };
}

async function ownDatabase() {
  const database = await createEmptyTestDatabase();
  onTestFinished(() => database.drop());
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  pool.on("error", () => undefined);
  onTestFinished(() => pool.end());
  return { pool, url: new URL(database.url) };
}

// Each is described in docs/events/README.md; the lab installs the languages.
describe.each(Object.entries(QUEUE_CONSUMERS))("the queue's consumer in %s", (_, consumer) => {
  it("books once what the queue brings, and again nothing that it could not book or does not know", async () => {
    const queue = await startLocalSqs();
    const { pool, url } = await ownDatabase();
    const program = run(await consumer.prepare(), {
      ...{
        HOME: builds,
        AWS_REGION: "us-east-1",
        AWS_ACCESS_KEY_ID: "local",
        AWS_SECRET_ACCESS_KEY: "local",
      },
      ...{
        AWS_ENDPOINT_URL_SQS: queue.url,
        QUEUE_URL: queue.queueUrl,
        DATABASE_URL: consumer.databaseUrl(url),
      },
    });
    const strange = [
      text.replace('"invoice.paid"', '"invoice.refunded"'),
      text.replace(":v1", ":v2"),
      text.replace('"1500.50"', "null"),
      "hello",
    ];
    for (const body of [...strange, text, text, text]) queue.put(body);
    await eventually(() =>
      expect([program.count("handled"), program.count("duplicate")], program.printed()).toEqual([1, 2]),
    );
    expect((await pool.query("select invoice_id, amount, payer from booking")).rows).toEqual([
      { invoice_id: event.data.invoiceId, amount: "1500.50", payer: "Ada Obi" },
    ]);
    // What it did not handle is still in the queue.
    await eventually(() => expect(queue.bodies()).toEqual(strange));

    await pool.query("delete from booking; delete from handled_event; alter table booking rename to away");
    queue.put(text);
    await eventually(() => expect(program.printed().split("not handled:")).toHaveLength(strange.length + 2));
    expect((await pool.query("select from handled_event")).rows).toEqual([]);
    await pool.query("alter table away rename to booking");
    queue.put(text);
    await eventually(() => expect(program.count("handled"), program.printed()).toBe(2));
  });
});

/** Passes requests on to a local SNS, as its address, and counts the certificates that are asked for. */
async function countingFront(target: () => string) {
  const certificates: string[] = [];
  const { url, close } = await startServer(async (request, response) => {
    const path = request.url ?? "/";
    if (path.endsWith(".pem")) certificates.push(path);
    const answer = await fetch(new URL(path.replace(/^\/_aws\/sns/, ""), target()));
    response.writeHead(answer.status).end(await answer.text());
  });
  onTestFinished(close);
  return { url, certificates };
}

async function startPhp() {
  const front = await countingFront(() => sns.url);
  const { sns, client, topic } = await snsFixture({ signer, publicUrl: front.url });
  const topicArn = await topic("invoice-events", { SignatureVersion: "2" });
  const { pool, url } = await ownDatabase();
  const { hostname, port: databasePort, pathname, username, password } = url;
  const port = await ownPort();
  const environment = {
    TOPIC_ARN: topicArn,
    DATABASE_URL: `pgsql:host=${hostname};port=${databasePort};dbname=${pathname.slice(1)};user=${username};password=${password}`,
    SNS_ORIGIN: front.url,
    PHP_CLI_SERVER_WORKERS: "4",
  };
  const file = join(examples, "php/consumer.php");
  await execute("php", [file], { env: { PATH, ...environment } });
  const { printed, count, isRunning } = run(["php", "-S", `127.0.0.1:${port}`, file], environment);
  const endpoint = `http://127.0.0.1:${port}/paid`;
  await eventually(async () => {
    if (!isRunning()) throw new Error(printed());
    await fetch(endpoint, { method: "POST", body: "hello" });
  });

  /** What SNS would post, signed as it does unless `change` comes after. */
  async function letter(fields: Record<string, string> = {}, version = "2", change = {}) {
    const envelope = {
      Type: "Notification",
      MessageId: randomUUID(),
      TopicArn: topicArn,
      Message: text,
      Timestamp: new Date().toISOString(),
      ...fields,
    };
    return JSON.stringify({
      ...envelope,
      SignatureVersion: version,
      Signature: await signer.sign(stringToSign(envelope), version),
      SigningCertURL: front.url + signer.certificatePath,
      ...change,
    });
  }
  const post = async (body: string) => (await fetch(endpoint, { method: "POST", body })).status;
  return { sns, client, topicArn, endpoint, pool, front, letter, post, count, printed };
}

describe("the HTTP endpoint in PHP", () => {
  it("confirms its subscription, and books what the topic delivers once", async () => {
    const { sns, client, topicArn, endpoint, pool, count, printed } = await startPhp();
    await client.send(new SubscribeCommand({ TopicArn: topicArn, Protocol: "http", Endpoint: endpoint }));
    await eventually(() =>
      expect(
        sns.deliveries().map(({ outcome }) => outcome),
        printed(),
      ).toEqual(["delivered"]),
    );

    for (let copy = 0; copy < 4; copy += 1)
      await client.send(new PublishCommand({ TopicArn: topicArn, Subject: "Paid", Message: text }));

    await eventually(() => expect([count("handled"), count("duplicate")], printed()).toEqual([1, 3]));
    expect((await pool.query("select * from booking")).rows).toEqual([
      { invoice_id: event.data.invoiceId, amount: "1500.50", payer: "Ada Obi" },
    ]);
  });

  it("remembers nothing of what it could not book, and books it when it comes again", async () => {
    const { pool, letter, post, printed } = await startPhp();
    await pool.query("alter table booking rename to away");
    expect(await post(await letter()), printed()).toBe(500);

    await pool.query("alter table away rename to booking");
    expect(await post(await letter()), printed()).toBe(204);
    expect((await pool.query("select amount from booking")).rows).toEqual([{ amount: "1500.50" }]);
  });

  it("takes nothing that is unsigned, changed, stale, of another topic, or signed with SHA-1", async () => {
    const { pool, front, letter, post, printed } = await startPhp();
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const changed = { Message: text.replace("1500.50", "9500.50") };
    const at = (SigningCertURL: string) => letter({}, "2", { SigningCertURL });
    const certificate = front.url + signer.certificatePath;
    const refused: [string, string][] = [
      ["the event itself", text],
      ["no object", "[]"],
      ["changed", await letter({}, "2", changed)],
      ["without a signature", await letter({}, "2", { Signature: undefined })],
      ["stale", await letter({ Timestamp: hoursAgo(1.1) })],
      ["of the future", await letter({ Timestamp: hoursAgo(-0.2) })],
      ["another topic", await letter({ TopicArn: "arn:aws:sns:us-east-1:000000000000:another" })],
      ["SHA-1, dressed", await letter({}, "1", { SignatureVersion: "2" })],
      ["host", await at(certificate.replace("127.0.0.1", "127.0.0.1.example.com"))],
      ["host", await at(certificate.replace("//", "//someone@"))],
      ["scheme", await at(certificate.replace("http", "https"))],
      ["path", await at(`${front.url}/certificate.pem`)],
      ["query", await at(`${certificate}?b.pem`)],
      ["another event", await letter({ Message: text.replace('"invoice.paid"', '"invoice.refunded"') })],
      ["an amount that is none", await letter({ Message: text.replace('"1500.50"', "null") })],
    ];
    for (const [name, body] of refused) expect([name, await post(body)], printed()).toEqual([name, 400]);
    for (const part of ["host", "scheme", "path", "query"])
      expect(printed()).toMatch(RegExp(`refused: SigningCertURL.*\\b${part}\\b`));
    expect(front.certificates).toEqual([signer.certificatePath]);

    // A setting of the topic, to be mended: nothing is lost meanwhile.
    expect(await post(await letter({}, "1")), printed()).toBe(500);

    expect((await pool.query("select * from handled_event")).rows).toEqual([]);
    expect(await post(await letter()), printed()).toBe(204);
  });

  it("takes the first genuine message beside forged ones, and fetches only names of SNS' own form", async () => {
    const { front, letter, post, printed } = await startPhp();
    const forged = (path: string) => letter({}, "2", { SigningCertURL: `${front.url}/${path}.pem` });
    expect(await post(await forged("certificate")), printed()).toBe(400);
    expect(front.certificates).toEqual([]);
    const invented = () => `SimpleNotificationService-${randomUUID().replaceAll("-", "")}`;
    for (let message = 0; message < 20; message += 1)
      expect(await post(await forged(invented())), printed()).not.toBe(204);

    expect(await post(await letter()), printed()).toBe(204);
    expect(await post(await letter()), printed()).toBe(204);
    expect(front.certificates.filter((path) => path === signer.certificatePath)).toHaveLength(1);
  });
});
