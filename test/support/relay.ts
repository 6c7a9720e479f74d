import pg from "pg";
import { readSettings, SERVE_REQUIRES } from "../../src/platform/config/settings.ts";
import { createLocalTopic } from "../../src/runtime/dev-environment.ts";
import { serve } from "../../src/runtime/serve.ts";
import { startLocalSns } from "../../src/sandbox/sns/start-local-sns.ts";
import { createTestDatabase } from "./database.ts";
import { onTestFinished } from "./own-test.ts";
import { startScriptedProvider } from "./scripted-provider.ts";
import { testSigner } from "./signer.ts";
import { keptLog } from "./test-log.ts";

export const TOKEN = "test-token-0123456789abcdef";

type Environment = Record<string, string | undefined>;
export type Harness = Awaited<ReturnType<typeof startHarness>>;

/** What closes the provider and SNS, which hang up on whoever waits there, by the address of that SNS. */
const upstreams = new Map<string | undefined, () => Promise<unknown>>();

/**
 * A database of its own, a provider that answers what the test says, and a local SNS with two topics; gone
 * with the test.
 */
export async function startHarness() {
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
    /** Settings for `serve` in this harness. */
    environment: (changes: Environment = {}): Environment => ({
      ...{ PORT: "0", PUBLIC_URL: "https://relay.example.com", DATABASE_URL: database.url },
      ...{ COLLECTION_API_URL: provider.url, COLLECTION_API_KEY: "test-api-key", CALLBACK_TOKENS: TOKEN },
      ...{ SNS_TOPIC_ARN: topicArn, AWS_REGION: "us-east-1", AWS_ENDPOINT_URL_SNS: sns.url },
      ...changes,
    }),
    /** Runs a query; rows as Postgres gives them. */
    query: async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
      (await pool.query<Row>(text, values)).rows,
  };
}

export type TestRelay = Awaited<ReturnType<typeof startRelay>>;

type RelayRoles = { http: boolean; workers: boolean };

/** How long a relay at its end waits by itself for answers, which mostly come, in ms. */
const ANSWERED_MS = 300;

/** A relay in this process, stopped when the test is over: then it waits for no answer that never comes. */
export async function startRelay(
  environment: Environment,
  roles: RelayRoles = { http: true, workers: true },
) {
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
    /** The lines it logged, parsed. */
    lines,
    /** Sends a callback; a body that is no text is sent as JSON. */
    callback: (
      body: unknown,
      { path = `/callbacks/${TOKEN}`, ...init }: RequestInit & { path?: string } = {},
    ) =>
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
export async function ownRelay(changes: Environment = {}, roles?: RelayRoles) {
  const harness = await startHarness();
  return { harness, relay: await startRelay(harness.environment(changes), roles) };
}
