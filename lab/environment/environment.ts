import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { type OwnServer, startServer } from "../../test/support/own-server.ts";
import { Random } from "../chaos/random.ts";
import type { Finding } from "../checker/evidence.ts";
import { judge } from "../checker/judge-run.ts";
import { type Books, readBooks } from "../checker/read-books.ts";
import { Recorder } from "../history/recorder.ts";
import { Provider } from "./provider.ts";
import { Relay } from "./relay.ts";
import { Sns } from "./sns.ts";

export interface EnvironmentSource {
  name: string;
  key: string;
  token: string;
  collectionId: string;
  /** A shared collection: every source's key sees its invoices. */
  sharedCollectionId: string;
  topicArn: string;
  testTopicArn: string;
}

export interface EnvironmentOptions {
  /** The folder for the history, the final state of the tables, and the logs. */
  folder: string;
  seed: number;
  databaseUrl: string;
  /** How many `serve` processes; 1 by default. */
  relays?: number;
  /** How many sources; 1 by default. */
  sources?: number;
  /** In ms; 2,000 by default. */
  leaseMs?: number;
  settings?: Record<string, string>;
}

/** Relays in processes of their own, a provider and an SNS, proxies between them, and the recorded history. */
export interface Environment {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly recorder: Recorder;
  readonly provider: Provider;
  readonly sns: Sns;
  readonly people: OwnServer;
  readonly sources: readonly EnvironmentSource[];
  readonly relays: readonly Relay[];
}

/** Starts everything but the relays. */
export async function makeEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { folder, databaseUrl, seed, leaseMs = 2_000 } = options;
  await mkdir(folder, { recursive: true });
  const recorder = new Recorder(folder);
  const names = ["alpha", "beta", "gamma"].slice(0, options.sources ?? 1);
  const [provider, sns, people] = await Promise.all([
    Provider.start(
      recorder,
      new Map(names.map((name) => [keyOf(name), name])),
      new Random(seed, "behaviours"),
    ),
    Sns.start(recorder),
    startPeople(recorder),
  ]);
  const shared = randomUUID();
  const sources = await Promise.all(names.map((name) => makeSource(name, sns, shared)));
  const topics = sources.map(({ name, topicArn, testTopicArn }) => [name, { topicArn, testTopicArn }]);
  recorder.record({ what: "begun", seed, leaseMs, sources: Object.fromEntries(topics) });
  const places = Array.from({ length: options.relays ?? 1 }, (_, index) =>
    Relay.place({
      folder,
      recorder,
      name: `relay-${index + 1}`,
      environment: {
        ...SETTINGS,
        DATABASE_URL: databaseUrl,
        LEASE_DURATION: `${leaseMs}ms`,
        ALARM_WEBHOOK_URL: `${people.url}/alarms`,
        ...options.settings,
      },
      sourcesFile: (collectionApiUrl) => ({
        sources: sources.map((source) => described(source, collectionApiUrl)),
      }),
      ports: { postgres: Number(new URL(databaseUrl).port), provider: provider.port, sns: sns.port },
    }),
  );
  return { folder, databaseUrl, recorder, provider, sns, people, sources, relays: await Promise.all(places) };
}

/** Runs `migrate`, as a deployment does. @throws Error when it fails. */
export async function migrate({ relays: [relay], folder }: Environment): Promise<void> {
  const code = await relay?.launch(["migrate"]).ended;
  if (code !== 0) throw new Error(`migrate ended with ${code}; its output is in ${folder}.`);
}

/** Ends all faults of links, the provider and SNS. */
export function heal({ relays, provider, sns }: Environment): void {
  for (const relay of relays) relay.heal();
  provider.feel({ kind: "well" });
  sns.calm();
}

/** Completes the history, and saves the current tables next to it. @returns them, and all that is wrong. */
export async function judgeEnvironment(
  environment: Environment,
): Promise<{ books: Books; findings: Finding[] }> {
  environment.sns.recordAcceptances();
  const books = await readBooks(environment.databaseUrl);
  await writeFile(join(environment.folder, "tables.json"), JSON.stringify(books, null, 1));
  return { books, findings: judge(environment.recorder.history, books) };
}

export async function endEnvironment({
  relays,
  provider,
  sns,
  people,
  recorder,
}: Environment): Promise<void> {
  await Promise.all(relays.map((relay) => relay.close()));
  await Promise.all([sns, provider, people].map((one) => one.close()));
  recorder.close();
}

interface Message {
  alarms: { name: string; source: string; subject: string; raisedAt: string; clearedAt: string | null }[];
}

/** The receiver behind ALARM_WEBHOOK_URL: records each message before it acknowledges it. */
const startPeople = (recorder: Recorder): Promise<OwnServer> =>
  startServer(async (request, response) => {
    const { alarms } = (await json(request)) as Message;
    for (const { name, source, subject, raisedAt, clearedAt } of alarms)
      recorder.record({ what: "told", name, source, subject, raisedAt, clearedAt });
    response.writeHead(200).end();
  });

const SETTINGS = {
  PUBLIC_URL: "https://relay.example.com",
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  CONFIRM_TIMEOUT: "2s",
  RECONCILE_INTERVAL: "5s",
};

const keyOf = (name: string) => `key-of-${name}`;

const makeSource = async (
  name: string,
  sns: Sns,
  sharedCollectionId: string,
): Promise<EnvironmentSource> => ({
  name,
  key: keyOf(name),
  token: `token-of-${name}-0123456789abcdef`,
  collectionId: randomUUID(),
  sharedCollectionId,
  topicArn: await sns.topic(`${name}-events`),
  testTopicArn: await sns.topic(`${name}-test-events`),
});

const described = (source: EnvironmentSource, collectionApiUrl: string) => ({
  name: source.name,
  collectionApiUrl,
  collectionApiKey: source.key,
  collectionIds: [source.collectionId, source.sharedCollectionId],
  callbackTokens: [source.token],
  snsTopicArn: source.topicArn,
  snsTestTopicArn: source.testTopicArn,
});
