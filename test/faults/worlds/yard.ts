import { hash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { CreateTopicCommand, SNSClient } from "@aws-sdk/client-sns";
import pg from "pg";
import { Alarms } from "../../../src/alarms/alarms.ts";
import { createPasses } from "../../../src/app/passes.ts";
import { withReconcileSources } from "../../../src/app/providers.ts";
import { register } from "../../../src/app/upstreams.ts";
import { openConfirmations } from "../../../src/confirm/queue/open.ts";
import { connect } from "../../../src/database/connect.ts";
import { createLogger } from "../../../src/kit/log.ts";
import { createMetrics } from "../../../src/kit/metrics.ts";
import { Secret } from "../../../src/kit/secret.ts";
import { readSettings, SERVE_REQUIRES } from "../../../src/kit/settings.ts";
import type { Source } from "../../../src/kit/sources.ts";
import { certify } from "../../../src/reconcile/certificate/certify.ts";
import { type LocalSns, startLocalSns } from "../../../src/sandbox/sns/start-local-sns.ts";
import { leaseOf } from "../../../src/work/lease.ts";
import { type HostileProvider, startHostileProvider } from "./hostile-provider.ts";
import type { Said, Window } from "./model.ts";

/** Where worlds are played: one database, one SNS and one hostile provider for all of them. */
export interface Yard {
  provider: HostileProvider;
  sns: LocalSns;
  databaseUrl: string;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** @param databaseUrl of a database with the relay's schema, used by nobody else. */
export async function openYard(databaseUrl: string): Promise<Yard> {
  process.env.AWS_ACCESS_KEY_ID ??= "local";
  process.env.AWS_SECRET_ACCESS_KEY ??= "local";
  const [provider, sns] = await Promise.all([startHostileProvider(), startLocalSns({ port: 0 })]);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  const query: Yard["query"] = async (text, values = []) => (await pool.query(text, values)).rows;
  // Holes are made by whoever is kept off by no trigger.
  await query("alter table event disable trigger user");
  return {
    ...{ provider, sns, databaseUrl, query },
    async close() {
      await pool.end();
      await Promise.all([provider.close(), sns.close()]);
    },
  };
}

/** A sweep is done in one pass, or two; after every 429 it goes on a second later. */
const MOST_PASSES = 50;

interface RelaySource {
  name: string;
  apiKey: string;
  collectionId: string;
}

/** A relay in this process for the sources of one world: its passes are run when the world says so. */
export class WorldRelay {
  readonly topicArn: string;
  readonly #yard: Yard;
  readonly #names: string[];
  readonly #sources: Source[];
  readonly #settings: ReturnType<typeof settingsOf>;
  readonly #connection: ReturnType<typeof connect>;
  readonly #alarms: Alarms;
  readonly #passes: ReturnType<typeof createPasses>;
  readonly #never = new AbortController().signal;

  static async start(yard: Yard, name: string, zone: string, sources: readonly RelaySource[]) {
    const sns = new SNSClient({ endpoint: yard.sns.url, region: "us-east-1" });
    const { TopicArn: topicArn = "" } = await sns.send(new CreateTopicCommand({ Name: name }));
    sns.destroy();
    const relay = new WorldRelay(yard, topicArn, zone, sources);
    await register(relay.#connection.db, relay.#sources);
    await yard.query("update source set first_served_at = now() - interval '12 days' where name = any($1)", [
      relay.#names,
    ]);
    return relay;
  }

  private constructor(yard: Yard, topicArn: string, zone: string, sources: readonly RelaySource[]) {
    this.#yard = yard;
    this.topicArn = topicArn;
    this.#names = sources.map(({ name }) => name);
    this.#settings = settingsOf(yard, topicArn, zone);
    this.#sources = sources.map(({ name, apiKey, collectionId }) => ({
      name,
      collectionApiUrl: yard.provider.url,
      collectionApiKey: new Secret(apiKey),
      collectionIds: [collectionId],
      reconciliation: "on",
      callbackTokens: [new Secret("0123456789012345678901")],
      callbackChecks: { signature: null, addresses: null } as unknown as Source["callbackChecks"],
      snsTopicArn: topicArn,
      snsTestTopicArn: null,
      booksTimeZone: "UTC",
      currency: "NGN",
    }));
    this.#connection = connect(new Secret(yard.databaseUrl), { max: 4 });
    const { db } = this.#connection;
    const log = createLogger({ level: "silent" });
    const metrics = createMetrics();
    this.#alarms = new Alarms({ db, log, metrics });
    const nothing = () => undefined;
    this.#passes = createPasses({
      ...{
        db,
        hot: db,
        settings: this.#settings,
        lease: leaseOf(this.#settings.LEASE_DURATION),
        sources: this.#sources,
        alarms: this.#alarms,
        log,
        metrics,
        signer: null,
      },
      ...{ onEvents: nothing, onConfirmations: nothing },
    });
  }

  /** As callbacks do. */
  async hear(source: string, invoiceIds: readonly string[]): Promise<void> {
    const keys = invoiceIds.map((invoiceId) => ({ invoiceId, source }));
    await openConfirmations(this.#connection.db, keys, { openedBy: "callback", priority: "known" });
  }

  /** Asks and publishes what waits, without its waiting. */
  async settle(): Promise<void> {
    for (let round = 0; round < 2; round += 1) {
      await this.#yard.query(
        "update confirmation set due_at = clock_timestamp() where state = 'due' and source = any($1)",
        [this.#names],
      );
      await this.#passes.confirm(this.#never);
      await this.#passes.publish(this.#never);
    }
  }

  /** One more automatic sweep of each list, to its end. */
  async sweep(): Promise<void> {
    const ended = async (source: string) => {
      const [row] = await this.#yard.query<{ ended: number }>(
        "select count(*)::int as ended from sweep where source = $1 and state = 'done'",
        [source],
      );
      return row?.ended ?? 0;
    };
    for (const { sweep, source } of this.#passes.lists) {
      const before = await ended(source);
      for (let passes = 0; passes < MOST_PASSES && (await ended(source)) === before; passes += 1) {
        // A list that asked for time has to be given it.
        if (passes > 1) await delay(200);
        await sweep(this.#never);
        await this.#yard.query(
          "update sweep set due_at = clock_timestamp() where state = 'due' and source = $1",
          [source],
        );
      }
    }
  }

  async certify(source: string, window: Window): Promise<Said> {
    const chosen = this.#sources.filter(({ name }) => name === source);
    const { db } = this.#connection;
    return await withReconcileSources(chosen, this.#settings, async ([one]) => {
      if (one === undefined) throw new Error(`no source ${source}`);
      const deps = { db, alarms: this.#alarms, lease: leaseOf(60_000), signer: null };
      const [certificate] = await certify(deps, {
        source: one,
        window,
        collectionId: null,
        signal: this.#never,
      });
      return certificate as Said;
    });
  }

  /** The amounts that the live topic was sent, by `source/invoice id`. */
  sent(): Map<string, string[]> {
    const sent = new Map<string, string[]>();
    for (const { message } of this.#yard.sns.messages(this.topicArn)) {
      const { source, subject, data } = JSON.parse(message);
      const key = `${source.replace("urn:invoice-relay:", "")}/${subject}`;
      sent.set(key, [...(sent.get(key) ?? []), data.amount]);
    }
    return sent;
  }

  async close(): Promise<void> {
    await this.#passes.close();
    await this.#connection.close();
  }
}

const settingsOf = ({ provider, sns, databaseUrl }: Yard, topicArn: string, zone: string) =>
  readSettings(
    {
      ...{ PUBLIC_URL: "https://relay.example.com", DATABASE_URL: databaseUrl, AWS_REGION: "us-east-1" },
      ...{ COLLECTION_API_URL: provider.url, COLLECTION_API_KEY: "unused-key", SNS_TOPIC_ARN: topicArn },
      ...{ CALLBACK_TOKENS: "0123456789012345678901", AWS_ENDPOINT_URL_SNS: sns.url },
      ...{ PROVIDER_TIME_ZONE: zone, RECONCILE_LOOKBACK: "12d", CONFIRM_CONCURRENCY: "8" },
    },
    SERVE_REQUIRES,
  );

/** The same id for the same place in any world. */
export const idOf = (place: number): string =>
  hash("sha256", `invoice ${place}`).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");
