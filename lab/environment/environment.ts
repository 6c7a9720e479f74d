import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { createLocalTopic } from "../../src/runtime/dev-environment.ts";
import { startLocalSns } from "../../src/sandbox/sns/start-local-sns.ts";
import { startServer } from "../../test/support/own-server.ts";
import { Random } from "../chaos/random.ts";
import { checkAllFound } from "../checker/check-events.ts";
import { checkRun } from "../checker/check-run.ts";
import { evidenceOf, type Finding } from "../checker/evidence.ts";
import { Recorder } from "../checker/history.ts";
import { type Books, countOpen, readBooks } from "../checker/read-books.ts";
import { startProvider } from "./provider.ts";
import { Relay } from "./relay.ts";
import { until } from "./run-lab.ts";

export interface EnvironmentSource {
  name: string;
  token: string;
  collectionId: string;
  /** A shared collection: every source's key sees its invoices. */
  sharedCollectionId: string;
  topicArn: string;
  testTopicArn: string;
}

interface EnvironmentOptions {
  /** The folder for the history, the final state of the tables, and the logs. */
  folder: string;
  seed: number;
  databaseUrl: string;
  /** How many `serve` processes. */
  relays: number;
  /** How many sources, three at most. */
  sources: number;
  leaseMs: number;
  settings: Record<string, string>;
}

/** Relays in processes of their own, a provider and an SNS, proxies between them, and the recorded history. */
export type Environment = Awaited<ReturnType<typeof makeEnvironment>>;

const SETTINGS = {
  ...{ PUBLIC_URL: "https://relay.example.com", AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "local" },
  ...{ AWS_SECRET_ACCESS_KEY: "local", CONFIRM_TIMEOUT: "2s", RECONCILE_INTERVAL: "5s" },
};

/** More messages than any run has. */
const KEPT_MESSAGES = 10_000_000;

const keyOf = (name: string) => `key-of-${name}`;

/** Starts everything but the relays, whose schema is made. */
export async function makeEnvironment(options: EnvironmentOptions) {
  const { folder, databaseUrl, seed, leaseMs } = options;
  await mkdir(folder, { recursive: true });
  const recorder = new Recorder(folder);
  const names = ["alpha", "beta", "gamma"].slice(0, options.sources);
  const keys = new Map(names.map((name) => [keyOf(name), name]));
  const [provider, sns, people] = await Promise.all([
    startProvider(recorder, keys, new Random(seed, "behaviours")),
    startLocalSns({ port: 0, keep: KEPT_MESSAGES }),
    startPeople(recorder),
  ]);
  const sharedCollectionId = randomUUID();
  const sources: EnvironmentSource[] = [];
  for (const name of names)
    sources.push({
      ...{ name, token: `token-of-${name}-0123456789abcdef`, collectionId: randomUUID(), sharedCollectionId },
      topicArn: await createLocalTopic(sns.url, `${name}-events`),
      testTopicArn: await createLocalTopic(sns.url, `${name}-test-events`),
    });
  const topics = sources.map(({ name, topicArn, testTopicArn }) => [name, { topicArn, testTopicArn }]);
  recorder.record({ what: "begun", seed, leaseMs, sources: Object.fromEntries(topics) });
  const environment = {
    ...SETTINGS,
    DATABASE_URL: databaseUrl,
    LEASE_DURATION: `${leaseMs}ms`,
    ALARM_WEBHOOK_URL: `${people.url}/alarms`,
    ...options.settings,
  };
  const ports = { postgres: Number(new URL(databaseUrl).port), provider: provider.port, sns: sns.port };
  const places = Array.from({ length: options.relays }, (_, index) => {
    const sourcesFile = (url: string) => ({ sources: sources.map((source) => described(source, url)) });
    return Relay.place({ folder, recorder, name: `relay-${index + 1}`, environment, sourcesFile, ports });
  });
  const relays = await Promise.all(places);
  /** Ends all of it. */
  const close = async () => {
    await Promise.all(relays.map((relay) => relay.close()));
    await Promise.all([sns, provider, people].map((one) => one.close()));
    recorder.close();
  };
  const code = await relays[0]?.launch(["migrate"]).ended;
  if (code === 0) return { folder, databaseUrl, recorder, provider, sns, sources, relays, close };
  await close();
  throw new Error(`migrate ended with ${code}; its output is in ${folder}.`);
}

const described = (source: EnvironmentSource, collectionApiUrl: string) => ({
  ...{ name: source.name, collectionApiUrl, collectionApiKey: keyOf(source.name) },
  collectionIds: [source.collectionId, source.sharedCollectionId],
  callbackTokens: [source.token],
  ...{ snsTopicArn: source.topicArn, snsTestTopicArn: source.testTopicArn },
});

interface Message {
  alarms: { name: string; source: string; subject: string; raisedAt: string; clearedAt: string | null }[];
}

/** The receiver behind ALARM_WEBHOOK_URL: records each message before it acknowledges it. */
const startPeople = (recorder: Recorder) =>
  startServer(async (request, response) => {
    const { alarms } = (await json(request)) as Message;
    for (const { name, source, subject, raisedAt, clearedAt } of alarms)
      recorder.record({ what: "told", name, source, subject, raisedAt, clearedAt });
    response.writeHead(200).end();
  });

/** Ends all faults of links, the provider and SNS. */
export function heal({ relays, provider, sns }: Environment): void {
  for (const relay of relays) relay.heal();
  provider.behave({ kind: "well" });
  sns.clearFaults();
}

/** Records which events SNS has accepted since the last call. @returns the number of all that it accepted. */
function recordAcceptances({ sns, recorder }: Environment): number {
  const recorded = recorder.history.filter(({ what }) => what === "accepted").length;
  const messages = sns.messages();
  for (const { topicArn, messageId, message, messageAttributes, acceptedAt } of messages.slice(recorded)) {
    const replay = messageAttributes.replay?.Value ?? null;
    recorder.record({ what: "accepted", topicArn, messageId, message, replay }, Date.parse(acceptedAt));
  }
  return messages.length;
}

const REST_WITHIN_MS = 60_000;

/** Waits until nothing is open and every payment is published. @returns false if that takes too long. */
export async function rest(environment: Environment): Promise<boolean> {
  const rests = async () => {
    if ((await countOpen(environment.databaseUrl)) > 0) return false;
    recordAcceptances(environment);
    return checkAllFound(evidenceOf(environment.recorder.history)).next().done === true;
  };
  return await until(rests, { withinMs: REST_WITHIN_MS });
}

/** Completes the history, and saves the current tables next to it. @returns them, and all that is wrong. */
export async function checkEnvironment(
  environment: Environment,
): Promise<{ books: Books; findings: Finding[] }> {
  recordAcceptances(environment);
  const books = await readBooks(environment.databaseUrl);
  await writeFile(join(environment.folder, "tables.json"), JSON.stringify(books, null, 1));
  return { books, findings: checkRun(environment.recorder.history, books) };
}
