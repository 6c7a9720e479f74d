import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { PublishCommand, SubscribeCommand } from "@aws-sdk/client-sns";
import pg from "pg";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { stringToSign } from "../../src/sandbox/sns/envelope.ts";
import { snsFixture } from "../sandbox/sns/sns-fixture.ts";
import { createEmptyTestDatabase } from "../support/database.ts";
import { ownPort } from "../support/own-port.ts";
import { startServer } from "../support/own-server.ts";
import { testSigner } from "../support/signer.ts";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const examples = join(root, "examples");
const text = readFileSync(join(root, "test/events/published/v1/payloads/full.json"), "utf8");
const event = JSON.parse(text);
const signer = await testSigner();
const eventually = <Result>(look: () => Result) => vi.waitFor(look, { interval: 50 });

interface Recipe {
  /** What it takes for DATABASE_URL. */
  databaseUrl(url: URL): string;
  /** Builds what has to be built. @returns the program to start */
  prepare(environment: Record<string, string>, port: number): Promise<[string, ...string[]]>;
}

const builds = mkdtempSync(join(tmpdir(), "invoice-relay-recipes-"));
afterAll(() => rmSync(builds, { recursive: true, force: true }));
let goProgram: Promise<string> | undefined;

async function buildGo(): Promise<string> {
  const program = join(builds, "consumer");
  // The driver is Debian's package.
  const go = { GO111MODULE: "off", GOPATH: "/usr/share/gocode", GOCACHE: builds, CGO_ENABLED: "0" };
  const env = { PATH: process.env.PATH ?? "", ...go };
  await execute("go", ["build", "-o", program, join(examples, "go/main.go")], { env });
  return program;
}

const JARS = ["jackson-databind", "jackson-core", "jackson-annotations", "postgresql"];

const recipes: Record<string, Recipe> = {
  Python: {
    databaseUrl: (url) => url.href,
    prepare: async () => ["/usr/bin/python3", join(examples, "python/consumer.py")],
  },
  Go: {
    databaseUrl: (url) => `${url.href}?sslmode=disable`,
    async prepare() {
      goProgram ??= buildGo();
      return [await goProgram];
    },
  },
  Java: {
    databaseUrl: ({ host, pathname, username, password }) =>
      `jdbc:postgresql://${host}${pathname}?user=${username}&password=${password}`,
    async prepare() {
      const jars = JARS.map((name) => `/usr/share/java/${name}.jar`).join(":");
      return ["java", "-cp", jars, join(examples, "java/Consumer.java")];
    },
  },
  PHP: {
    databaseUrl: ({ hostname, port, pathname, username, password }) =>
      `pgsql:host=${hostname};port=${port};dbname=${pathname.slice(1)};user=${username};password=${password}`,
    async prepare(environment, port) {
      const program = join(examples, "php/consumer.php");
      await execute("php", [program], { env: { PATH: process.env.PATH ?? "", ...environment } });
      return ["php", "-S", `127.0.0.1:${port}`, program];
    },
  },
};

/** Passes requests on to a local SNS, as its address, and counts the certificates that are asked for. */
async function countingFront(target: () => string) {
  const certificates: string[] = [];
  const { url, close } = await startServer(async (request, response) => {
    const path = request.url ?? "/";
    if (path.endsWith(".pem")) certificates.push(path);
    const answer = await fetch(new URL(path, target()));
    response.writeHead(answer.status).end(await answer.text());
  });
  onTestFinished(close);
  return { url, certificates };
}

async function start(recipe: Recipe) {
  const front = await countingFront(() => sns.url);
  const { sns, client, topic } = await snsFixture({ signer, publicUrl: front.url });
  const topicArn = await topic("invoice-events", { SignatureVersion: "2" });
  const database = await createEmptyTestDatabase();
  onTestFinished(() => database.drop());
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  pool.on("error", () => undefined);
  onTestFinished(() => pool.end());
  const port = await ownPort();
  const environment = {
    TOPIC_ARN: topicArn,
    DATABASE_URL: recipe.databaseUrl(new URL(database.url)),
    SNS_ORIGIN: front.url,
    PORT: String(port),
    PHP_CLI_SERVER_WORKERS: "4",
  };
  const [program, ...words] = await recipe.prepare(environment, port);
  const child: ChildProcess = spawn(program, words, {
    env: { PATH: process.env.PATH ?? "", ...environment },
    detached: true,
  });
  let printed = "";
  child.stdout?.on("data", (chunk) => (printed += chunk));
  child.stderr?.on("data", (chunk) => (printed += chunk));
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  onTestFinished(async () => {
    // PHP's workers are children of its own.
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await ended;
  });
  const endpoint = `http://127.0.0.1:${port}/paid`;
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(printed);
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
  const count = (word: string) => printed.split(`${word} ${event.data.invoiceId}`).length - 1;
  return { sns, client, topicArn, endpoint, pool, front, letter, post, count, printed: () => printed };
}

// Each is told in docs/events/other-languages.md; check:slow installs the languages.
describe.each(Object.entries(recipes))("the consumer in %s", (_, recipe) => {
  it("confirms its subscription, and books what the topic delivers once", async () => {
    const { sns, client, topicArn, endpoint, pool, count, printed } = await start(recipe);
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
    const { pool, letter, post, printed } = await start(recipe);
    await pool.query("alter table booking rename to away");
    expect(await post(await letter()), printed()).toBe(500);

    await pool.query("alter table away rename to booking");
    expect(await post(await letter()), printed()).toBe(204);
    expect((await pool.query("select amount from booking")).rows).toEqual([{ amount: "1500.50" }]);
  });

  it("takes nothing that is unsigned, changed, stale, of another topic, or signed with SHA-1", async () => {
    const { pool, front, letter, post, printed } = await start(recipe);
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const changed = { Message: text.replace("1500.50", "9500.50") };
    const elsewhere = "https://sns.us-east-1.amazonaws.com.example.com/a.pem";
    const refused: [string, string][] = [
      ["the event itself", text],
      ["no object", "[]"],
      ["changed", await letter({}, "2", changed)],
      ["without a signature", await letter({}, "2", { Signature: undefined })],
      ["stale", await letter({ Timestamp: hoursAgo(1.1) })],
      ["of the future", await letter({ Timestamp: hoursAgo(-0.2) })],
      ["another topic", await letter({ TopicArn: "arn:aws:sns:us-east-1:000000000000:another" })],
      ["SHA-1, dressed", await letter({}, "1", { SignatureVersion: "2" })],
      ["a certificate elsewhere", await letter({}, "2", { SigningCertURL: elsewhere })],
      ["a certificate with a query", await letter({}, "2", { SigningCertURL: `${front.url}/a.pem?b.pem` })],
      ["another event", await letter({ Message: text.replace('"invoice.paid"', '"invoice.refunded"') })],
      ["an amount that is none", await letter({ Message: text.replace('"1500.50"', "null") })],
    ];
    for (const [name, body] of refused) expect([name, await post(body)], printed()).toEqual([name, 400]);

    // A setting of the topic, to be mended: nothing is lost meanwhile.
    expect(await post(await letter({}, "1")), printed()).toBe(500);

    expect((await pool.query("select * from handled_event")).rows).toEqual([]);
    expect(await post(await letter()), printed()).toBe(204);
  });

  it("takes the first genuine message beside forged ones, and fetches only names of SNS' own form", async () => {
    const { front, letter, post, printed } = await start(recipe);
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
