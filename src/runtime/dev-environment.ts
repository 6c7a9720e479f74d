import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import { devNull } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { parseEnv } from "node:util";
import { readTimeline, type Timeline } from "../operations/index.ts";
import {
  leaveShellBehind,
  readSettings,
  SERVE_REQUIRES,
  SOURCE_SETTINGS,
  settingsSchema,
} from "../platform/config/index.ts";
import { connect, type Database, migrateToLatest } from "../platform/database/index.ts";
import { faultOf, RelayError } from "../platform/errors/index.ts";
import { listen } from "../platform/http/index.ts";
import type { Logger } from "../platform/log/index.ts";
import { knownTopics } from "../platform/upstreams/index.ts";
import { isUuid, Secret } from "../platform/values/index.ts";
import { CollectionClient } from "../provider/index.ts";
import {
  freePort,
  readSeed,
  startCollectionService,
  startEmbeddedPostgres,
  startLocalSns,
} from "../sandbox/index.ts";
import { callbackUrl } from "./callback-url.ts";
import { serve } from "./serve.ts";

/** Made once for each data dir, for its owner only, so that invoices of an earlier run still find the relay. */
async function keptToken(dataDir: string, name: "callback-token" | "admin-token"): Promise<string> {
  const file = join(dataDir, name);
  await mkdir(dataDir, { recursive: true });
  const made = randomBytes(18).toString("base64url");
  try {
    await writeFile(file, made, { flag: "wx", mode: 0o600 });
    return made;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    return (await readFile(file, "utf8")).trim();
  }
}

/** The local SNS takes any. */
export const LOCAL_AWS_CREDENTIALS = { AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };

/** Writes the settings of the local relay down for other commands (`--settings`), for the owner's eyes only. */
export async function writeLocalSettings(
  dataDir: string,
  settings: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const file = join(dataDir, "settings.env");
  const lines = Object.entries(settings).map(([name, value = ""]) => {
    const line = linesFor(name, value).find((one) => parseEnv(one)[name] === value);
    if (line !== undefined) return `${line}\n`;
    throw new RelayError(
      `${name} cannot be written to ${file}: it holds every kind of quote. Leave one out.`,
    );
  });
  await writeFile(file, lines.join(""), { mode: 0o600 });
  return file;
}

/** The ways to write it down; quoted first where a shell would need that. */
function linesFor(name: string, value: string): string[] {
  const plain = `${name}=${value}`;
  if (!/[\s#'"`]/.test(value)) return [plain];
  return [...["'", "`", '"'].map((quote) => `${name}=${quote}${value}${quote}`), plain];
}

/**
 * Prepares this process for a local environment: a shell's settings for other work are removed, for libraries too.
 * The local SNS takes any credentials, but the AWS SDK sends no request without some; the account that the shell or
 * the home folder is logged in to stays out of it, and no request here passes a proxy.
 * @param environment `process.env`.
 * @param kept the names that stay.
 */
export function enterLocalEnvironment(
  environment: Record<string, string | undefined>,
  kept: readonly string[],
): void {
  leaveShellBehind(environment, kept);
  Object.assign(environment, LOCAL_AWS_CREDENTIALS, {
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
  });
  // Node read its proxies when it started; this makes them apply to no host. Early 24s lack the function.
  http.setGlobalProxyFromEnv?.({ HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "*" });
}

/** An event that the local subscriber got, as text, and the timeline of its payment until then. */
export interface Published {
  event: string;
  timeline: Timeline;
}

/** A typical consumer of these topics. Resolves once every subscription is confirmed. */
async function startLocalSubscriber(
  snsUrl: string,
  topicArns: readonly string[],
  onEvent: (event: string) => void,
) {
  let waiting = topicArns.length;
  const confirmed = Promise.withResolvers<void>();
  const server = await listen(
    async (request, response) => {
      const letter = (await json(request)) as Record<string, string | undefined>;
      response.writeHead(200).end();
      if (letter.Type === "Notification") onEvent(letter.Message ?? "");
      else {
        await fetch(letter.SubscribeURL ?? "").catch(confirmed.reject);
        waiting -= 1;
        if (waiting === 0) confirmed.resolve();
      }
    },
    { port: 0, host: HOST, name: "local subscriber" },
  );
  const Endpoint = `${server.url}/events`;
  for (const TopicArn of topicArns)
    await ask(snsUrl, { Action: "Subscribe", TopicArn, Protocol: "http", Endpoint });
  await confirmed.promise;
  return server;
}

const CHECK_EVERY_MS = 50;

/** The timeline of an event's payment, once its publication is recorded. */
async function timelineOf(db: Database, event: string): Promise<Timeline | null> {
  const invoiceId = /"subject":"([^"]+)"/.exec(event)?.[1] ?? "";
  if (!isUuid(invoiceId)) return null;
  for (let tries = 1; ; tries += 1) {
    const timeline = await readTimeline(db, invoiceId);
    if (tries === 40 || timeline?.entries.some(({ kind }) => kind === "publication")) return timeline;
    await delay(CHECK_EVERY_MS);
  }
}

/** Plain form posts: no SDK is needed. @returns the ARN. @throws RelayError when SNS refuses the name. */
export async function createLocalTopic(snsUrl: string, name: string): Promise<string> {
  const fields: Record<string, string> = {
    Action: "CreateTopic",
    Name: name,
    // SHA-256: consumers refuse SHA-1.
    "Attributes.entry.1.key": "SignatureVersion",
    "Attributes.entry.1.value": "2",
  };
  if (name.endsWith(".fifo"))
    Object.assign(fields, { "Attributes.entry.2.key": "FifoTopic", "Attributes.entry.2.value": "true" });
  const answer = await ask(snsUrl, fields);
  return textIn(answer, "TopicArn");
}

async function ask(snsUrl: string, fields: Record<string, string>): Promise<string> {
  const answer = await fetch(snsUrl, {
    method: "POST",
    body: new URLSearchParams({ ...fields, Version: "2010-03-31" }),
  });
  const xml = await answer.text();
  if (answer.ok) return xml;
  throw new RelayError(`The local SNS refused ${fields.Action}: ${textIn(xml, "Message")}`);
}

const textIn = (xml: string, element: string): string =>
  new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? "";

export interface LocalEnvironmentOptions {
  /** Settings that tune the relay are taken from it; those that point at a real provider, topic or database are not. */
  environment: Record<string, string | undefined>;
  /** Used instead of an embedded one; it must be the relay's own, or empty. */
  database: Secret | undefined;
  dataDir: string;
  /** `false` where the data is thrown away afterwards: commits are not forced to the disk. */
  durable: boolean;
  /** `false` for an environment that lives for one payment, which a sweep would request a second time. */
  reconciles: boolean;
  /** The ports; a free one where a port is taken, or 0. */
  ports: { relay: number; collectionService: number; sns: number; postgres: number };
  log: Logger;
  /** Called with each difference from the options. */
  remark: (text: string) => void;
  signal: AbortSignal;
  onPublished: (published: Published) => void;
}

const HOST = "127.0.0.1";
const REGION = "us-east-1";

/**
 * Starts Postgres, the collection service, a local SNS with a subscriber, and the relay, all on 127.0.0.1.
 * @throws RelayError when one of them cannot start, the signal's reason when it was stopped meanwhile; the
 *   others are stopped again.
 */
export async function startLocalEnvironment(options: LocalEnvironmentOptions) {
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
  await migrateToLatest(db, "relay");
  signal.throwIfAborted();

  const service = await startCollectionService({
    databaseUrl,
    port: await portFor("the collection service", ports.collectionService),
    host: HOST,
    log,
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
  const subscriber = await startLocalSubscriber(sns.url, [topicArn, testTopicArn], (event) => {
    timelineOf(db, event).then(
      (timeline) => timeline && options.onPublished({ event, timeline }),
      (error: unknown) => log.debug(faultOf(error), "the timeline of an event could not be read"),
    );
  });
  starting.defer(() => subscriber.close(500));
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
    /** The settings that another program needs to work with this relay, and credentials that the local SNS takes. */
    environment: { ...tuning, ...own, ...LOCAL_AWS_CREDENTIALS },
    /** Stops it all, in the order in which nothing is lost. */
    stop: () => running.disposeAsync(),
  };
}

/** Everything a payment passes, on this machine. */
type LocalEnvironment = Awaited<ReturnType<typeof startLocalEnvironment>>;

/** Settings that tie a relay to a real provider, topic or proxy. */
const IDENTITY = new Set<string>([...SOURCE_SETTINGS, "DATABASE_URL", "SOURCES_FILE", "TRUSTED_PROXIES"]);

const LOCAL_TOPIC = /^arn:aws:sns:[^:]*:000000000000:/;

/** A local relay would do the work that it finds in a real one's database. @throws RelayError where it is one. */
async function refuseForeignDatabase(db: Database): Promise<void> {
  const real = (await knownTopics(db)).find((arn) => !LOCAL_TOPIC.test(arn));
  if (real === undefined) return;
  throw new RelayError(
    `This database belongs to a relay that publishes to ${real}. The local relay is for trying things out ` +
      "and would mix up its invoices: name another database, or none.",
  );
}

/** Creates an invoice as a merchant does: over the provider's API, with the relay's callback URL in it. */
export async function createSampleInvoice(local: LocalEnvironment) {
  const client = new CollectionClient({
    baseUrl: local.collectionServiceUrl,
    apiKey: local.apiKey,
  });
  const reference = `order-${Date.now().toString(36)}`;
  try {
    const { invoice } = await client.createInvoice({
      collectionId: local.collectionId,
      title: "School fees, second term",
      payerName: "Ada Obi",
      payerEmail: "ada.obi@example.com",
      billerMetaData: { student: "17" },
      amount: "1500.50",
      callBackUrl: callbackUrl(local.relayUrl, local.callbackToken, reference),
    });
    const { id, totalAmount, paymentUrl } = invoice;
    return { id, totalAmount, paymentUrl: paymentUrl ?? "" };
  } finally {
    await client.close();
  }
}
