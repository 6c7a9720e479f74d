import { randomUUID } from "node:crypto";
import { CreateTopicCommand, SNSClient } from "@aws-sdk/client-sns";
import pg from "pg";
import { vi } from "vitest";
import { serve } from "../../src/app/serve.ts";
import { createLogger } from "../../src/kit/log.ts";
import { readSettings, SERVE_REQUIRES } from "../../src/kit/settings.ts";
import { startLocalSns } from "../../src/sandbox/sns/start-local-sns.ts";
import {
  call,
  LIVE_KEY,
  OPEN_AMOUNT,
  type Reply,
  startTestService,
} from "../../test/sandbox/provider/service-fixture.ts";
import { createTestDatabase } from "../../test/support/database.ts";
import { ownPort } from "../../test/support/own-port.ts";

export const ROLES = ["read", "operate", "admin"] as const;
export type Role = (typeof ROLES)[number];

export const CALLBACK_TOKEN = "console-callback-0123456789ab";

/** What a person types in to sign in, by role. */
export const ADMIN_TOKENS: Record<Role, string> = {
  read: "reader-token-0123456789abcdef",
  operate: "operator-token-0123456789abcd",
  admin: "admin-token-0123456789abcdefg",
};

/** Who they are in the audit log. */
export const NAMES: Record<Role, string> = { read: "ruth", operate: "ola", admin: "ada" };

/** Callbacks that say they come from here fail the relay's address check. */
export const STRANGER = "203.0.113.9";

/** The stack that the console is shown over: relay, collection service, local SNS, Postgres; all real. */
export type ConsoleEnvironment = Awaited<ReturnType<typeof startConsoleEnvironment>>;

const DAY_MS = 86_400_000;

/** Starts it with an empty log. It has been served for 40 days, and its list was just read. */
export async function startConsoleEnvironment(changes: Record<string, string> = {}) {
  await using starting = new AsyncDisposableStack();
  const database = await createTestDatabase();
  starting.defer(() => database.drop());
  const service = await startTestService();
  starting.defer(() => service.close());
  const sns = await startLocalSns({ port: 0 });
  starting.defer(() => sns.close());
  const [topicArn = "", testTopicArn = "", otherTopicArn = ""] = await createTopics(sns.url);
  const pool = new pg.Pool({ connectionString: database.url, max: 4, options: "-c datestyle=ISO" });
  pool.on("error", () => undefined);
  starting.defer(() => pool.end());
  const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await pool.query<Row>(text, values)).rows;
  await beginInThePast(query);

  const port = await ownPort();
  const url = `http://127.0.0.1:${port}`;
  const settings = readSettings(
    {
      PORT: String(port),
      PUBLIC_URL: url,
      DATABASE_URL: database.url,
      COLLECTION_API_URL: service.url,
      COLLECTION_API_KEY: LIVE_KEY,
      COLLECTION_IDS: OPEN_AMOUNT,
      CALLBACK_TOKENS: CALLBACK_TOKEN,
      // The test is a proxy that tells where its callbacks come from.
      TRUSTED_PROXIES: "127.0.0.1",
      CALLBACK_ALLOWED_ADDRESSES: "127.0.0.1",
      SNS_TOPIC_ARN: topicArn,
      SNS_TEST_TOPIC_ARN: testTopicArn,
      AWS_REGION: "us-east-1",
      AWS_ENDPOINT_URL_SNS: sns.url,
      REPLAY_TOPIC_ARNS: otherTopicArn,
      RECONCILE_INTERVAL: "1d",
      ADMIN_TOKENS: ROLES.map((role) => `${NAMES[role]}:${role}:${ADMIN_TOKENS[role]}`).join(","),
      ...changes,
    },
    SERVE_REQUIRES,
  );
  const log = createLogger({ level: "silent" });
  const relay = await serve({ settings, log, http: true, workers: true, host: "127.0.0.1" });
  starting.defer(() => relay.stop());
  const running = starting.move();

  return {
    /** Of the relay, without a slash at the end. */
    url,
    databaseUrl: database.url,
    service,
    sns,
    topicArn,
    /** Another topic, which replays may go to. */
    otherTopicArn,
    query,
    /** A call of the admin API as a program makes it. @throws Error unless it answers 200. */
    async api(method: string, path: string, body?: unknown, role: Role = "admin"): Promise<Reply["body"]> {
      const authorization = `Bearer ${ADMIN_TOKENS[role]}`;
      const reply = await call(`${url}/admin/v1${path}`, method, body, { authorization });
      if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
      return reply.body;
    },
    /** An invoice with the relay's callback URL in it. @returns its id. */
    invoice: (reference: string, fields: Record<string, unknown> = {}) =>
      service.create({ callBackUrl: `${url}/callbacks/${CALLBACK_TOKEN}/${reference}`, ...fields }),
    /** Pays it as a payer does; the provider's callback follows by itself. */
    async pay(invoiceId: string) {
      const reply = await service.control("POST", `/invoices/${invoiceId}/pay`);
      if (reply.status !== 200) throw new Error(`pay ${invoiceId}: ${reply.text}`);
    },
    /** Sends the relay a callback. A body that is no text is sent as JSON. */
    callback: (body: unknown, headers: Record<string, string> = {}, rest = "") =>
      fetch(`${url}/callbacks/${CALLBACK_TOKEN}${rest}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body:
          typeof body === "string" || body instanceof Uint8Array
            ? (body as string | Uint8Array<ArrayBuffer>)
            : JSON.stringify(body),
      }),
    /** Waits until the query gives exactly these rows. */
    until: (text: string, values: unknown[], rows: unknown[]) =>
      vi.waitFor(
        async () => {
          const found = JSON.stringify(await query(text, values));
          if (found !== JSON.stringify(rows))
            throw new Error(`${text}: ${found}, not ${JSON.stringify(rows)}`);
        },
        { interval: 50 },
      ),
    stop: () => running.disposeAsync(),
  };
}

async function createTopics(endpoint: string): Promise<string[]> {
  process.env.AWS_ACCESS_KEY_ID = "local";
  process.env.AWS_SECRET_ACCESS_KEY = "local";
  const client = new SNSClient({ endpoint, region: "us-east-1" });
  const arns: string[] = [];
  for (const Name of ["invoice-events", "invoice-events-test", "invoice-events-copy"])
    arns.push((await client.send(new CreateTopicCommand({ Name }))).TopicArn ?? "");
  client.destroy();
  return arns;
}

// Else payments of the past would only be recorded, and the first sweep would heal what a test wants to see.
async function beginInThePast(query: (text: string, values: unknown[]) => Promise<unknown>): Promise<void> {
  const servedSince = new Date(Date.now() - 40 * DAY_MS);
  await query("insert into source (name, first_served_at) values ('default', $1)", [servedSince]);
  await query(
    `insert into sweep (id, source, collection_id, kind, state, started_at, window_from, window_to)
     values ($1, 'default', $2, 'automatic', 'done', now(), $3, $3)`,
    [randomUUID(), OPEN_AMOUNT, servedSince],
  );
}
