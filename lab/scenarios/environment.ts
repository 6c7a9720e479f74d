import pg from "pg";
import { openConfirmations } from "../../src/pipeline/confirm/queue/open.ts";
import { certify } from "../../src/pipeline/reconcile/certificate/certify.ts";
import { Alarms } from "../../src/platform/alarms/alarms.ts";
import { readSettings, SERVE_REQUIRES, sourcesOf } from "../../src/platform/config/settings.ts";
import { connect } from "../../src/platform/database/connect.ts";
import { createLogger } from "../../src/platform/log/log.ts";
import { createMetrics } from "../../src/platform/metrics/metrics.ts";
import { Secret } from "../../src/platform/values/mask.ts";
import { leaseOf } from "../../src/platform/worker/leased-rows.ts";
import { createLocalTopic } from "../../src/runtime/dev-environment.ts";
import { createJobs, type JobName } from "../../src/runtime/jobs.ts";
import { register, withReconcileSources } from "../../src/runtime/sources.ts";
import { startLocalSns } from "../../src/sandbox/sns/start-local-sns.ts";
import { startHostileProvider } from "./hostile-provider.ts";
import type { Said, Window } from "./model.ts";

/** Where scenarios are played: one database, one SNS and one hostile provider for all of them. */
export type Environment = Awaited<ReturnType<typeof openEnvironment>>;

/** @param databaseUrl of a database with the relay's schema, used by nobody else. */
export async function openEnvironment(databaseUrl: string) {
  process.env.AWS_ACCESS_KEY_ID ??= "local";
  process.env.AWS_SECRET_ACCESS_KEY ??= "local";
  const [provider, sns] = await Promise.all([startHostileProvider(), startLocalSns({ port: 0 })]);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  // One that breaks while nobody uses it is replaced.
  pool.on("error", () => undefined);
  return {
    provider,
    sns,
    databaseUrl,
    /** How many scenarios were begun in it. */
    scenarios: 0,
    query: async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows,
    async close() {
      await pool.end();
      await Promise.all([provider.close(), sns.close()]);
    },
  };
}

/** A sweep is done in one pass, or two; after every 429 it goes on later. */
const RUNS_LIMIT = 50;

const NEVER = new AbortController().signal;

/**
 * A relay in this process, which works when the scenario says so.
 * @param collections of its sources, by name; a source's name is its API key too.
 */
export async function openRelay(
  environment: Environment,
  zone: string,
  collections: ReadonlyMap<string, string>,
) {
  const { provider, sns, databaseUrl, query } = environment;
  const names = [...collections.keys()];
  const topicArn = await createLocalTopic(sns.url, `topic-of-${names[0]}`);
  const environmentOfRelay = {
    ...{
      PUBLIC_URL: "https://relay.example.com",
      DATABASE_URL: databaseUrl,
      COLLECTION_API_URL: provider.url,
    },
    ...{
      COLLECTION_API_KEY: "unused-key",
      CALLBACK_TOKENS: "0123456789012345678901",
      SNS_TOPIC_ARN: topicArn,
    },
    ...{ AWS_REGION: "us-east-1", AWS_ENDPOINT_URL_SNS: sns.url, PROVIDER_TIME_ZONE: zone },
    ...{ BOOKS_TIME_ZONE: "UTC", RECONCILE_LOOKBACK: "12d", CONFIRM_CONCURRENCY: "8" },
  };
  const settings = readSettings(environmentOfRelay, SERVE_REQUIRES);
  const sources = sourcesOf(settings).flatMap((source) =>
    [...collections].map(([name, collectionId]) => ({
      ...{ ...source, name, collectionApiKey: new Secret(name), collectionIds: [collectionId] },
      reconciliation: "on" as const,
    })),
  );
  const { db, close } = connect(settings.DATABASE_URL, { max: 4 });
  await register(db, sources);
  const [log, metrics, noop] = [createLogger({ level: "silent" }), createMetrics(), () => undefined];
  const alarms = new Alarms({ db, log, metrics });
  const jobs = createJobs({
    ...{ db, hot: db, settings, lease: leaseOf(settings.LEASE_DURATION), sources, alarms, log, metrics },
    ...{ signer: null, onEvents: noop, onConfirmations: noop },
  });
  await query("update source set first_served_at = now() - interval '12 days' where name = any($1)", [names]);
  const sweepsDone = async (source: string) =>
    (await query("select from sweep where source = $1 and state = 'done'", [source])).length;
  /** Runs a job of the process, or of one source, once. */
  const run = (name: JobName, source?: string) =>
    jobs.jobs.find((job) => job.name === name && job.source === source)?.run(NEVER);
  return {
    async close() {
      await jobs.close();
      await close();
    },

    /** As callbacks do. */
    async hear(source: string, invoiceIds: readonly string[]): Promise<void> {
      const keys = invoiceIds.map((invoiceId) => ({ invoiceId, source }));
      await openConfirmations(db, keys, { openedBy: "callback", priority: "known" });
    },

    /** Asks and publishes what waits, without its waiting. */
    async settle(): Promise<void> {
      for (let round = 0; round < 2; round += 1) {
        await query(
          "update confirmation set due_at = clock_timestamp() where state = 'due' and source = any($1)",
          [names],
        );
        await run("confirm");
        await run("publish");
      }
    },

    /** One more automatic sweep of each list, to its end, however long the list asks to be left alone. */
    async sweep(): Promise<void> {
      for (const source of names) {
        const before = await sweepsDone(source);
        for (let left = RUNS_LIMIT; left > 0 && (await sweepsDone(source)) === before; left -= 1) {
          await run("sweep", source);
          for (const now of [
            "update sweep set due_at = clock_timestamp() where state = 'due' and source = $1",
            "update source set opens_at = '-infinity', retry_at = '-infinity' where name = $1",
          ])
            await query(now, [source]);
        }
      }
    },

    certify: async (name: string, window: Window): Promise<Said> =>
      await withReconcileSources(
        sources.filter((source) => source.name === name),
        settings,
        async ([source]) => {
          if (source === undefined) throw new Error(`no source ${name}`);
          const deps = { db, alarms, lease: leaseOf(60_000), signer: null };
          return await certify(deps, { source, window, signal: NEVER });
        },
      ),

    /** The amounts that the live topic was sent, by `source/invoice id`, the oldest first. */
    sent(): Map<string, string[]> {
      const sent = new Map<string, string[]>();
      for (const { message } of sns.messages(topicArn)) {
        const { source, subject, data } = JSON.parse(message);
        const key = `${source.replace("urn:invoice-relay:", "")}/${subject}`;
        sent.set(key, [...(sent.get(key) ?? []), data.amount]);
      }
      return sent;
    },
  };
}
