import { join } from "node:path";
import { readSettings, SERVE_REQUIRES, SOURCE_SETTINGS, settingsSchema } from "../platform/config/index.ts";
import { connect, type Database, migrateToLatest, refuseSharedDatabase } from "../platform/database/index.ts";

import { RelayError } from "../platform/errors/index.ts";
import type { Logger } from "../platform/log/index.ts";
import { knownTopics } from "../platform/upstreams/index.ts";
import { Secret } from "../platform/values/index.ts";
import { CollectionClient } from "../provider/index.ts";
import {
  freePort,
  parseFaults,
  readSeed,
  startCollectionService,
  startEmbeddedPostgres,
  startLocalSns,
} from "../sandbox/index.ts";
import { callbackUrl } from "./callback-url.ts";
import { keptToken, LOCAL_AWS_CREDENTIALS } from "./dev-settings.ts";
import { createLocalTopic, type ReceivedMessage, startLocalSubscriber } from "./dev-topics.ts";
import { serve } from "./serve.ts";

export interface LocalWorldOptions {
  /** What tunes the relay is taken from it; what points at a real provider, topic or database is not. */
  environment: Record<string, string | undefined>;
  /** Used instead of an embedded one; it must be the relay's own, or empty. */
  database: Secret | undefined;
  dataDir: string;
  /** `false` where the data is thrown away afterwards: commits are not forced to the disk. */
  durable: boolean;
  /** `false` for a world that lives for one payment, which a sweep would ask about a second time. */
  reconciles: boolean;
  /** The ports wanted; a free one where it is taken, or 0. */
  ports: { relay: number; collectionService: number; sns: number; postgres: number };
  log: Logger;
  /** Called with what differs from what was asked for. */
  remark: (text: string) => void;
  signal: AbortSignal;
  onMessage: (message: ReceivedMessage) => void;
}

const HOST = "127.0.0.1";
const REGION = "us-east-1";

/**
 * Starts Postgres, the collection service, a local SNS with a subscriber, and the relay, all on 127.0.0.1.
 * @throws RelayError when one of them cannot start, the signal's reason when it was stopped meanwhile; the
 *   others are stopped again.
 */
export async function startLocalWorld(options: LocalWorldOptions) {
  const { environment, dataDir, ports, log, signal, database } = options;
  await using starting = new AsyncDisposableStack();
  const portFor = async (what: string, wanted: number): Promise<number> => {
    const port = await freePort(wanted);
    if (wanted !== 0 && port !== wanted)
      options.remark(`Port ${wanted} is taken: ${what} listens on ${port} instead.`);
    return port;
  };

  const place = { dataDir: join(dataDir, "postgres"), port: ports.postgres, durable: options.durable };
  const embedded = database === undefined ? await startEmbeddedPostgres({ ...place, log }) : null;
  starting.defer(async () => await embedded?.stop());
  signal.throwIfAborted();
  const databaseUrl = database ?? new Secret(embedded?.url ?? "");
  const { db, close } = connect(databaseUrl, { max: 4, applicationName: "invoice-relay dev" });
  starting.defer(close);
  await refuseForeignDatabase(db);
  await refuseSharedDatabase(db, "relay");
  await migrateToLatest(db, "relay");
  signal.throwIfAborted();

  const service = await startCollectionService({
    databaseUrl,
    port: await portFor("the collection service", ports.collectionService),
    host: HOST,
    log,
    faults: parseFaults(environment.COLLECTION_SERVICE_FAULTS),
  });
  starting.defer(() => service.close());

  const sns = await startLocalSns({
    port: await portFor("SNS", ports.sns),
    host: HOST,
    region: REGION,
    log,
  });
  starting.defer(() => sns.close());
  const topicArn = await createLocalTopic(sns.url, "invoice-events");
  const testTopicArn = await createLocalTopic(sns.url, "invoice-events-test");
  const subscriber = await startLocalSubscriber(sns.url, [topicArn, testTopicArn], options.onMessage);
  starting.defer(() => subscriber.close());
  signal.throwIfAborted();

  const seed = await readSeed();
  const apiKey = seed.apiKeys.find((key) => key.type === "Live")?.key ?? "";
  const collectionId =
    seed.collections.find((one) => one.status === "Active" && one.amount === null)?.id ?? "";
  const collectionIds = seed.collections.filter(({ status }) => status === "Active").map(({ id }) => id);
  const callbackToken = await keptToken(dataDir, "callback-token");
  const adminToken = await keptToken(dataDir, "admin-token");
  const port = await portFor("the relay", ports.relay);
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
  const tuning = Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value]) => name in settingsSchema.shape && !IDENTITY.has(name) && value !== undefined,
    ),
  );
  const settings = readSettings({ ...tuning, ...own }, SERVE_REQUIRES);
  const relay = await serve({ settings, log, http: true, workers: true, host: HOST });
  starting.defer(() => relay.stop());

  const running = starting.move();
  return {
    relayUrl: settings.PUBLIC_URL,
    collectionServiceUrl: service.url,
    snsUrl: sns.url,
    topicArn,
    /** null when the database was named. */
    postgresPort: embedded?.port ?? null,
    /** The key of the seed's Live account: public, of use with this service only. */
    apiKey,
    currency: settings.CURRENCY,
    /** A collection that takes any amount. */
    collectionId,
    callbackToken,
    consoleUrl: relay.consoleUrl ?? `${settings.PUBLIC_URL}/console`,
    adminToken,
    db,
    /** What another program needs to work with this relay: its settings, and credentials that the local SNS takes. */
    environment: { ...tuning, ...own, ...LOCAL_AWS_CREDENTIALS },
    /** Stops it all, in the order in which nothing is lost. */
    stop: () => running.disposeAsync(),
  };
}

/** Everything a payment passes, on this machine. */
type LocalWorld = Awaited<ReturnType<typeof startLocalWorld>>;

/** What ties a relay to a real provider, topic or proxy. */
const IDENTITY = new Set<string>([...SOURCE_SETTINGS, "DATABASE_URL", "SOURCES_FILE", "TRUSTED_PROXIES"]);

const LOCAL_TOPIC = /^arn:aws:sns:[^:]*:000000000000:/;

/** A local relay would do the work that it finds in a real one's database. @throws RelayError where it is one. */
async function refuseForeignDatabase(db: Database): Promise<void> {
  const real = (await knownTopics(db)).find((arn) => !LOCAL_TOPIC.test(arn));
  if (real === undefined) return;
  throw new RelayError(
    `This database belongs to a relay that publishes to ${real}. What runs here is for trying things out ` +
      "and would mix up its invoices: name another database, or none.",
  );
}

/** Creates an invoice as a merchant does: over the provider's API, with the relay's callback URL in it. */
export async function createSampleInvoice(world: LocalWorld) {
  const client = new CollectionClient({
    baseUrl: world.collectionServiceUrl,
    apiKey: world.apiKey,
    callbackUrl: (reference) => callbackUrl(world.relayUrl, world.callbackToken, reference),
  });
  const reference = `order-${Date.now().toString(36)}`;
  try {
    const { invoice } = await client.createInvoice(
      {
        collectionId: world.collectionId,
        title: "School fees, second term",
        payerName: "Ada Obi",
        payerEmail: "ada.obi@example.com",
        billerMetaData: { student: "17" },
        amount: "1500.50",
      },
      { reference },
    );
    const { id, totalAmount, paymentUrl } = invoice;
    return {
      id,
      reference,
      totalAmount,
      paymentUrl: paymentUrl ?? `${world.collectionServiceUrl}/pay/${id}`,
    };
  } finally {
    await client.close();
  }
}
