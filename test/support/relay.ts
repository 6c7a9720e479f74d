import pg from "pg";
import { createLocalTopic } from "../../src/app/dev-topics.ts";
import { type RunningRelay, serve } from "../../src/app/serve.ts";
import { readSettings, SERVE_REQUIRES } from "../../src/kit/settings.ts";
import { type LocalSns, startLocalSns } from "../../src/sandbox/sns/start-local-sns.ts";
import { createTestDatabase } from "./database.ts";
import { onTestFinished } from "./own-test.ts";
import { type ScriptedProvider, startScriptedProvider } from "./scripted-provider.ts";
import { testSigner } from "./signer.ts";
import { keptLog } from "./test-log.ts";

export const TOKEN = "test-token-0123456789abcdef";

export interface Harness {
  databaseUrl: string;
  provider: ScriptedProvider;
  sns: LocalSns;
  topicArn: string;
  testTopicArn: string;
  /** Settings for `serve` in this harness. */
  environment(changes?: Record<string, string | undefined>): Record<string, string | undefined>;
  /** Runs a query; rows as Postgres gives them. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
}

/** What closes the provider and SNS, which hang up on whoever waits there, by the address of that SNS. */
const upstreams = new Map<string | undefined, () => Promise<unknown>>();

/**
 * A database of its own, a provider that answers what the test says, and a local SNS with two topics; gone
 * with the test.
 */
export async function startHarness(): Promise<Harness> {
  const database = await createTestDatabase();
  const provider = await startScriptedProvider();
  const sns = await startLocalSns({ port: 0, signer: await testSigner() });
  const pool = new pg.Pool({ connectionString: database.url, max: 2, options: "-c datestyle=ISO" });
  pool.on("error", () => undefined);
  process.env.AWS_ACCESS_KEY_ID = "local";
  process.env.AWS_SECRET_ACCESS_KEY = "local";
  const topicArn = await createLocalTopic(sns.url, "invoice-events");
  const testTopicArn = await createLocalTopic(sns.url, "invoice-events-test");
  let closing: Promise<unknown> | undefined;
  const close = () => {
    closing ??= Promise.all([sns.close(), provider.close()]);
    return closing;
  };
  upstreams.set(sns.url, close);
  onTestFinished(async () => {
    upstreams.delete(sns.url);
    await pool.end();
    await close();
    await database.drop();
  });
  return {
    ...{ databaseUrl: database.url, provider, sns, topicArn, testTopicArn },
    environment: (changes = {}) => ({
      ...{ PORT: "0", PUBLIC_URL: "https://relay.example.com", DATABASE_URL: database.url },
      ...{ COLLECTION_API_URL: provider.url, COLLECTION_API_KEY: "test-api-key", CALLBACK_TOKENS: TOKEN },
      ...{ SNS_TOPIC_ARN: topicArn, AWS_REGION: "us-east-1", AWS_ENDPOINT_URL_SNS: sns.url },
      ...changes,
    }),
    query: async (text, values = []) => (await pool.query(text, values)).rows,
  };
}

export type TestRelay = RunningRelay & {
  url: string;
  /** The lines it logged, parsed. */
  lines: Record<string, unknown>[];
  /** Sends a callback; a body that is no text is sent as JSON. */
  callback(body: unknown, init?: RequestInit & { path?: string }): Promise<Response>;
};

type RelayRoles = { http: boolean; workers: boolean };

/** How long a relay at its end waits by itself for answers, which mostly come, in ms. */
const ANSWERED_MS = 300;

/** A relay in this process, stopped when the test is over: then it waits for no answer that never comes. */
export async function startRelay(
  environment: Record<string, string | undefined>,
  roles: RelayRoles = { http: true, workers: true },
): Promise<TestRelay> {
  const { lines, log } = keptLog();
  const settings = readSettings(environment, SERVE_REQUIRES);
  const relay = await serve({ settings, log, host: "127.0.0.1", ...roles });
  onTestFinished(async () => {
    const late = setTimeout(() => upstreams.get(environment.AWS_ENDPOINT_URL_SNS)?.(), ANSWERED_MS);
    await relay.stop();
    clearTimeout(late);
  });
  const url = relay.url ?? "";
  return {
    ...relay,
    url,
    lines,
    callback: (body, { path = `/callbacks/${TOKEN}`, ...init } = {}) =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body:
          typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
        ...init,
      }),
  };
}

/** A relay, and what it runs in. */
export async function ownRelay(changes: Record<string, string | undefined> = {}, roles?: RelayRoles) {
  const harness = await startHarness();
  return { harness, relay: await startRelay(harness.environment(changes), roles) };
}
