import { join } from "node:path";
import { connect, type Database } from "../database/connect.ts";
import { migrateToLatest } from "../database/migrate.ts";
import type { Logger } from "../kit/log.ts";
import { Secret } from "../kit/secret.ts";
import { readSettings, SERVE_REQUIRES, SOURCE_SETTINGS } from "../kit/settings.ts";
import { freePort } from "../sandbox/postgres/free-port.ts";
import { startEmbeddedPostgres } from "../sandbox/postgres/start-embedded-postgres.ts";
import { parseFaults } from "../sandbox/provider/faults/faults.ts";
import { readSeed } from "../sandbox/provider/seed.ts";
import { startCollectionService } from "../sandbox/provider/start-collection-service.ts";
import { startLocalSns } from "../sandbox/sns/start-local-sns.ts";
import { refuseForeignDatabase } from "./dev-database.ts";
import {
  LOCAL_AWS_CREDENTIALS,
  localAdminToken,
  localCallbackToken,
  useLocalAwsCredentials,
} from "./dev-secrets.ts";
import { type ReceivedMessage, startLocalSubscriber } from "./dev-subscriber.ts";
import { createLocalTopic } from "./dev-topic.ts";
import { serve } from "./serve.ts";

export interface LocalWorldOptions {
  /** What tunes the relay is taken over; what would point it at a real provider or topic is not. */
  environment: Record<string, string | undefined>;
  /** Where the data of this world lives. */
  dataDir: string;
  /** `false` where the data is thrown away afterwards: commits are not forced to the disk. */
  durable: boolean;
  /** `false` for a world that lives for one payment, which a sweep would ask about a second time. */
  reconciles: boolean;
  /** The ports wanted; a free one where it is taken, or 0. */
  ports: { relay: number; collectionService: number; sns: number; postgres: number };
  log: Logger;
  /** Called with each event that the subscriber receives. */
  onMessage: (message: ReceivedMessage) => void;
}

/** Everything a payment passes, on this machine. */
export interface LocalWorld {
  readonly relayUrl: string;
  readonly collectionServiceUrl: string;
  readonly snsUrl: string;
  readonly topicArn: string;
  /** null when DATABASE_URL named the server. */
  readonly postgresPort: number | null;
  /** The key of the seed's Live account: public, of use with this service only. */
  readonly apiKey: string;
  /** A collection that takes any amount. */
  readonly collectionId: string;
  readonly callbackToken: string;
  readonly consoleUrl: string;
  /** The token to sign in there with. */
  readonly adminToken: string;
  readonly db: Database;
  /**
   * What another program needs to work with this relay: its settings, and credentials that the local SNS
   * takes.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** Stops it all, in the order in which nothing is lost. */
  stop(): Promise<void>;
}

const HOST = "127.0.0.1";
const REGION = "us-east-1";

/**
 * Starts Postgres, the collection service, a local SNS with a subscriber, and the relay, all on 127.0.0.1.
 * @throws RelayError when one of them cannot start; the others are stopped again.
 */
export async function startLocalWorld(options: LocalWorldOptions): Promise<LocalWorld> {
  const { environment, dataDir, ports, log } = options;
  await using starting = new AsyncDisposableStack();
  useLocalAwsCredentials(process.env);

  const given = readSettings({ DATABASE_URL: environment.DATABASE_URL }).DATABASE_URL;
  const embedded =
    given === undefined
      ? await startEmbeddedPostgres({
          dataDir: join(dataDir, "postgres"),
          port: ports.postgres,
          durable: options.durable,
          log,
        })
      : null;
  if (embedded !== null) starting.defer(() => embedded.stop());
  const databaseUrl = given ?? new Secret(embedded?.url ?? "");
  const { db, close } = connect(databaseUrl, { max: 4, applicationName: "invoice-relay dev" });
  starting.defer(close);
  await refuseForeignDatabase(db);
  await migrateToLatest(db, "relay");

  const service = await startCollectionService({
    databaseUrl,
    port: await freePort(ports.collectionService),
    host: HOST,
    log,
    faults: parseFaults(environment.COLLECTION_SERVICE_FAULTS),
  });
  starting.defer(() => service.close());

  const sns = await startLocalSns({ port: await freePort(ports.sns), host: HOST, region: REGION, log });
  starting.defer(() => sns.close());
  const topicArn = await createLocalTopic(sns.url, "invoice-events");
  const testTopicArn = await createLocalTopic(sns.url, "invoice-events-test");
  const subscriber = await startLocalSubscriber({
    snsUrl: sns.url,
    topicArns: [topicArn, testTopicArn],
    onMessage: options.onMessage,
  });
  starting.defer(() => subscriber.close());

  const seed = await readSeed();
  const apiKey = seed.apiKeys.find((key) => key.type === "Live")?.key ?? "";
  const collectionId =
    seed.collections.find((one) => one.status === "Active" && one.amount === null)?.id ?? "";
  const collectionIds = seed.collections.filter(({ status }) => status === "Active").map(({ id }) => id);
  const callbackToken = await localCallbackToken(dataDir);
  const adminToken = await localAdminToken(dataDir);
  const port = await freePort(ports.relay);
  const own = {
    PORT: String(port),
    PUBLIC_URL: `http://${HOST}:${port}`,
    DATABASE_URL: databaseUrl.reveal(),
    COLLECTION_API_URL: service.url,
    COLLECTION_API_KEY: apiKey,
    COLLECTION_IDS: options.reconciles ? collectionIds.join(",") : "none",
    CALLBACK_TOKENS: callbackToken,
    ADMIN_TOKENS: `local:admin:${adminToken}`,
    SNS_TOPIC_ARN: topicArn,
    SNS_TEST_TOPIC_ARN: testTopicArn,
    AWS_REGION: REGION,
    AWS_ENDPOINT_URL_SNS: sns.url,
  };
  const settings = readSettings({ ...withoutIdentity(environment), ...own }, SERVE_REQUIRES);
  const relay = await serve({ settings, log, http: true, workers: true, host: HOST });
  starting.defer(() => relay.stop());

  const running = starting.move();
  return {
    relayUrl: settings.PUBLIC_URL,
    collectionServiceUrl: service.url,
    snsUrl: sns.url,
    topicArn,
    postgresPort: embedded?.port ?? null,
    apiKey,
    collectionId,
    callbackToken,
    consoleUrl: relay.consoleUrl ?? `${settings.PUBLIC_URL}/console`,
    adminToken,
    db,
    environment: { ...own, ...LOCAL_AWS_CREDENTIALS },
    stop: () => running.disposeAsync(),
  };
}

/** The environment without what ties the relay to a real provider, topic or proxy. */
function withoutIdentity(
  environment: Record<string, string | undefined>,
): Record<string, string | undefined> {
  const left = { ...environment };
  for (const name of [...SOURCE_SETTINGS, "SOURCES_FILE", "TRUSTED_PROXIES"]) delete left[name];
  return left;
}
