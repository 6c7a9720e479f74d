import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { type AlarmGroup, groupWords, readStatus, type StatusSettings } from "../operations/index.ts";
import { newestInvoiceId, SourceProof } from "../pipeline/confirm/index.ts";
import { partitionsDue } from "../pipeline/receive/index.ts";
import type { AlarmName } from "../platform/alarms/index.ts";
import {
  readSettings,
  SERVE_REQUIRES,
  type ServeSettings,
  SettingsError,
  type Source,
  sourcesOf,
} from "../platform/config/index.ts";
import {
  connect,
  type Database,
  MIGRATE,
  returned,
  type Slots,
  Statement,
  schemaState,
} from "../platform/database/index.ts";
import { isDatabaseAway, messageOf, RelayError, withCommand } from "../platform/errors/index.ts";
import { createMetrics } from "../platform/metrics/index.ts";
import { type Secret, sentence } from "../platform/values/index.ts";
import { CollectionApiError, CollectionClient, collectionApiProvider } from "../provider/index.ts";
import { alarmWebhook } from "./alarm-webhook.ts";
import { callbackUrl, callbackUrlWarnings } from "./callback-url.ts";
import { statusSettings } from "./operation-parts.ts";
import { destinationOf } from "./pumps.ts";

type Environment = Record<string, string | undefined>;

/**
 * Checks everything that `serve` needs; changes nothing, and sends the alarm webhook a test. Sources are checked
 * side by side.
 */
export async function* doctor(environment: Environment): AsyncGenerator<Check> {
  let settings: ServeSettings | null = null;
  try {
    settings = readSettings(environment, SERVE_REQUIRES);
  } catch (error) {
    const problems = error instanceof SettingsError ? error.problems : [messageOf(error)];
    for (const problem of problems) yield fault("settings", problem);
  }
  if (settings !== null) yield ok("settings", "everything that serve needs is there");
  // A lack of reconciliation is left out here: `checkReconciliation` reports it, as a fault.
  const shown = { ...statusSettings(settings ?? readSettings({})), sources: null };
  const later: AlarmGroup[] = [];
  yield* checkDatabase(environment, shown, later);
  if (settings === null) {
    yield* later.map(groupCheck);
    return yield warning(
      "the rest",
      "callback URL, provider and topics were not checked: put the settings right first",
    );
  }
  const sources = sourcesOf(settings);
  yield* checkCallbackUrls(settings, sources);
  // Side by side, so that a source that does not answer delays no other.
  const providers = (await Promise.all(sources.map((source) => checkProvider(source, settings)))).flat();
  yield* providers;
  const topics = await checkTopics(sources, settings);
  yield* topics;
  const faults = [...providers, ...topics].filter(({ state }) => state === "fault");
  const isTold = ({ name }: AlarmGroup) =>
    faults.some(({ about }) => about.startsWith(SHOWN_BY[name] ?? "?"));
  yield* later.filter((need) => !isTold(need)).map(groupCheck);
  yield* checkSharing(sources);
  yield* checkReconciliation(sources);
  yield await checkAlarmWebhook(settings);
}

const [OLDEST, NEWEST] = [15, 18];

/** Reachable, of a version that is supported, durable, with the current schema and the partitions ahead. */
async function* checkDatabase(
  environment: Environment,
  settings: StatusSettings,
  later: AlarmGroup[],
): AsyncGenerator<Check> {
  const url = databaseUrlOf(environment);
  // Its faults are reported among the settings.
  if (url === undefined) return;
  const { db, close } = connectOnce(url);
  try {
    yield* await checkServer(db);
    const schema = await checkSchema(db);
    yield schema;
    yield await checkPartitions(db);
    if (schema.state !== "fault") yield* checkStatus(db, settings, later);
  } catch (error) {
    const says =
      error instanceof RelayError
        ? error.message
        : `cannot be used: ${messageOf(error)}. Check DATABASE_URL, and that Postgres runs.`;
    yield fault("database", says, isDatabaseAway(error));
  } finally {
    await close();
  }
}

function databaseUrlOf({ DATABASE_URL }: Environment) {
  try {
    return readSettings({ DATABASE_URL }).DATABASE_URL;
  } catch {
    return undefined;
  }
}

const selectServer = new Statement(
  {
    version: returned.integer,
    shown: returned.text(),
    fsync: returned.text(),
    readOnly: returned.boolean,
  },
  () => sql`
    select current_setting('server_version_num')::int as version,
      current_setting('server_version') as shown,
      current_setting('fsync') as fsync,
      pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "readOnly"`,
);

async function checkServer(db: Database): Promise<Check[]> {
  const about = "database";
  const [server] = await selectServer.execute(db);
  if (server === undefined) return [];
  const { shown, readOnly, fsync } = server;
  const major = Math.floor(server.version / 10_000);
  const supported = `${OLDEST} to ${NEWEST}`;
  const checks = [ok(about, `PostgreSQL ${shown} answers`)];
  if (major < OLDEST) checks[0] = fault(about, `PostgreSQL ${shown} is too old: ${supported} are supported`);
  if (major > NEWEST)
    checks[0] = warning(about, `PostgreSQL ${shown} is newer than what was tried: ${supported}`);
  if (readOnly)
    checks.push(fault(about, "it is read-only: nothing can be recorded. Point DATABASE_URL at the primary"));
  if (major >= OLDEST) checks.push(...(await checkSorting(db)));
  if (fsync === "off")
    checks.push(fault(about, "fsync is off: a crash would lose callbacks that were answered. Turn it on"));
  return checks;
}

const selectSortedAnew = new Statement(
  { name: returned.text() },
  () => sql`
    select quote_ident(datname) as name from pg_database where datname = current_database()
      and datcollversion is not null
      and datcollversion is distinct from pg_database_collation_actual_version(oid)`,
);

/** An operating system that was upgraded below the database may sort text in another way than its indexes do. */
const checkSorting = async (db: Database): Promise<Check[]> =>
  (await selectSortedAnew.execute(db)).map(({ name }) =>
    warning(
      "database",
      "the system's rules of sorting text have changed since its indexes were made: they may miss rows. Run: " +
        `reindex database ${name}; alter database ${name} refresh collation version`,
    ),
  );

async function checkSchema(db: Database): Promise<Check> {
  const about = "schema";
  const schema = await schemaState(db, "relay");
  switch (schema.state) {
    case "current":
      return ok(about, "current");
    case "behind":
      return fault(about, withCommand(`behind by ${schema.missing.join(", ")}.`, MIGRATE));
    case "ahead":
      return warning(about, `ahead by ${schema.unknown.join(", ")}, with which this version works too`);
  }
}

/** Alarms whose cause a check shows by itself while it lasts: one fault is reported once. */
const SHOWN_BY: Readonly<Partial<Record<AlarmName, "provider" | "topic">>> = {
  source_failing: "provider",
  source_paused: "provider",
  sweep_failing: "provider",
  certificate_failing: "provider",
  topic_failing: "topic",
  topic_paused: "topic",
};

/**
 * Action items of `status`; `serve` starts in spite of them.
 * @param later takes alarms that another check may show.
 */
async function* checkStatus(
  db: Database,
  settings: StatusSettings,
  later: AlarmGroup[],
): AsyncGenerator<Check> {
  const { actionItems, openAlarms, needsPerson, sentence: says } = await readStatus(db, settings);
  for (const { what, action, remedy } of actionItems)
    yield warning("status", `${what}. ${withCommand(action, remedy)}`);
  for (const group of openAlarms.filter(({ count }) => count > 0))
    if (group.name in SHOWN_BY) later.push(group);
    else yield groupCheck(group);
  if (!needsPerson) yield ok("status", says);
}

const groupCheck = (group: AlarmGroup): Check =>
  warning("status", `${groupWords(group)}. ${withCommand(group.action, group.remedy)}`);

const selectMissing = new Statement(
  { name: returned.text() },
  ({ value }: Slots<readonly string[]>) => sql`
    select name from unnest(${value((due) => due)}::text[]) as due (name) where to_regclass(name) is null`,
);

async function checkPartitions(db: Database): Promise<Check> {
  const about = "partitions";
  const due = partitionsDue(new Date()).map((partition) => partition.name);
  const rows = await selectMissing.execute(db, due);
  if (rows.length === 0) return ok(about, `made as far as ${due.at(-1)}`);
  return fault(about, withCommand(`missing: ${rows.map(({ name }) => name).join(", ")}.`, MIGRATE));
}

/** A warning deserves attention, though `serve` works; a fault keeps `serve` from some or all of its work. */
export interface Check {
  about: string;
  state: "ok" | "warning" | "fault";
  /** Plain words; no secret is ever part of them. */
  says: string;
  /** Of a fault: the other side does not answer, and on this side all may be well. */
  away?: boolean;
}

const ok = (about: string, says: string): Check => ({ about, state: "ok", says });
const warning = (about: string, says: string): Check => ({ about, state: "warning", says });
const fault = (about: string, says: string, away?: boolean): Check => ({
  ...{ about, state: "fault", says },
  ...(away !== undefined && { away }),
});

const RECONCILES: Readonly<Record<Source["reconciliation"], Omit<Check, "about">>> = {
  on: { state: "ok", says: "on: the provider's lists are read for what callbacks missed" },
  none: { state: "ok", says: "off, as COLLECTION_IDS=none says" },
  unset: {
    state: "fault",
    says:
      "off, so that a payment whose callback never comes is missed. Set COLLECTION_IDS to the collections of " +
      "this account, or to none if that is meant",
  },
};

/** Without its collections a source is not reconciled: a payment whose callback never comes is missed. */
const checkReconciliation = (sources: readonly Source[]): Check[] =>
  sources.map(({ name, reconciliation }) => ({
    about: `reconciliation of ${name}`,
    ...RECONCILES[reconciliation],
  }));

/** Sends people a message that says it is a test. */
async function checkAlarmWebhook(settings: ServeSettings): Promise<Check> {
  const about = "alarm webhook";
  const webhook = alarmWebhook(settings, createMetrics());
  if (webhook === null)
    return warning(
      about,
      "none: alarms are sent nowhere. Set ALARM_WEBHOOK_URL to where people read messages",
    );
  const problem = await webhook.test();
  return problem === null
    ? ok(about, "took a test message")
    : fault(about, `takes no message: ${problem}`, true);
}

const checkCallbackUrls = (settings: ServeSettings, sources: readonly Source[]): Check[] =>
  sources.flatMap(({ name, callbackTokens }) => {
    const about = `callback URL of ${name}`;
    const urls = callbackTokens.map((token) => callbackUrl(settings.PUBLIC_URL, token.reveal()));
    const warnings = new Set(urls.flatMap(callbackUrlWarnings));
    if (warnings.size > 0) return [...warnings].map((says) => warning(about, says));
    const count = urls.length === 1 ? "one token" : `${urls.length} tokens`;
    return [ok(about, `${callbackUrl(settings.PUBLIC_URL, "***")}, ${count}`)];
  });

/** Two sources with one key, token or collection would each confirm and publish what belongs to the other. */
export function checkSharing(sources: readonly Source[]): Check[] {
  const values = sources.flatMap(({ name, collectionApiUrl, collectionApiKey, ...source }) => [
    { name, what: "COLLECTION_API_KEY", value: `${collectionApiUrl} ${collectionApiKey.reveal()}` },
    ...source.callbackTokens.map((token) => ({ name, what: "a callback token", value: token.reveal() })),
    ...source.collectionIds.map((value) => ({ name, what: "a collection", value })),
  ]);
  return [...Map.groupBy(values, ({ what, value }) => `${what} ${value}`).values()].flatMap((same) => {
    const names = [...new Set(same.map(({ name }) => name))];
    const says = `${names.join(" and ")} share ${same[0]?.what}; each needs its own`;
    return names.length > 1 ? [fault("sources", says)] : [];
  });
}

/** Each topic once. */
async function checkTopics(sources: readonly Source[], settings: ServeSettings): Promise<Check[]> {
  const arns: [about: string, arns: readonly string[]][] = [
    ["topic", sources.map((source) => source.snsTopicArn)],
    ["test topic", sources.flatMap((source) => source.snsTestTopicArn ?? [])],
  ];
  const checked = await Promise.all(
    arns.flatMap(([about, all]) => [...new Set(all)].map((arn) => checkTopic(arn, about, settings))),
  );
  const without = sources.filter(({ snsTestTopicArn }) => snsTestTopicArn === null);
  const held = "has none: events of Test invoices are held, not published";
  return [...checked, ...without.map(({ name }) => ok("test topic", `${name} ${held}`))];
}

/** Checks that the topic exists, in the region, signs as consumers want it, and has a subscriber. */
async function checkTopic(arn: string, about: string, settings: ServeSettings): Promise<Check> {
  const [, , , region = ""] = arn.split(":");
  if (region !== settings.AWS_REGION)
    return fault(
      about,
      `${arn} is in ${region}, and AWS_REGION is ${settings.AWS_REGION}. They must be the same`,
    );
  const destination = destinationOf(settings, 1);
  const found = await destination.describe(arn);
  destination.close();
  switch (found.kind) {
    case "there":
      if (found.signatureVersion !== "2")
        return warning(
          about,
          `${arn} signs its messages with SHA-1, which consumers refuse. Set the topic's SignatureVersion to 2`,
        );
      return found.subscriptions > 0
        ? ok(about, `${arn}, subscribed to by ${found.subscriptions}`)
        : warning(about, `${arn} is there, but has no subscribers`);
    case "not_allowed":
      return warning(
        about,
        `${arn} could not be read: these credentials lack sns:GetTopicAttributes. Whether they may ` +
          "publish (sns:Publish) shows with the first event",
      );
    case "fault":
      return fault(
        about,
        `${arn}: ${found.error}. Check the topic, AWS_REGION and the AWS credentials`,
        found.away,
      );
  }
}

/** Requests its collections or, where it has none, an invoice that cannot exist. */
async function checkProvider(
  source: Source,
  { CONFIRM_TIMEOUT: timeoutMs, DATABASE_URL }: ServeSettings,
): Promise<Check[]> {
  const about = `provider of ${source.name}`;
  const account = {
    baseUrl: source.collectionApiUrl,
    apiKey: source.collectionApiKey,
    timeoutMs,
    retries: 0,
  };
  const client = new CollectionClient(account);
  const provider = collectionApiProvider(account);
  try {
    const knownInvoiceId = () => storedInvoiceId(DATABASE_URL, source.name);
    const proof = new SourceProof({ provider, collectionIds: [], knownInvoiceId, timeoutMs });
    if (source.collectionIds.length === 0) return [await checkKey(client, proof, about)];
    const checks: Check[] = [];
    for (const id of source.collectionIds) {
      const check = await checkCollection(client, id, about);
      // A result that is the same for each collection concerns the whole account.
      if (checks.every(({ says }) => says !== check.says)) checks.push(check);
    }
    return checks;
  } finally {
    await Promise.all([client.close(), provider.close()]);
  }
}

/** A 404 alone proves nothing: any web server gives one. The proof that confirming asks for counts here too. */
async function checkKey(client: CollectionClient, proof: SourceProof, about: string): Promise<Check> {
  try {
    await client.getInvoice(randomUUID());
    return warning(about, "it knows an invoice whose id was just made up: is this the right API?");
  } catch (error) {
    if (!isNotFound(error)) return fault(about, wordsFor(error), isAway(error));
    if (error.inEnvelope || (await proof.isProven())) return ok(about, "it answers, and takes the key");
    return fault(about, `asked for an invoice that does not exist, ${NOT_ITS_WORDS}`);
  }
}

const NOT_ITS_WORDS =
  "it answers 404 as any web server does, and not as the Invoice Collection API. Check COLLECTION_API_URL";

/** For a few questions. */
const connectOnce = (url: Secret) =>
  connect(url, { max: 1, connectTimeoutMs: 5_000, applicationName: "invoice-relay doctor" });

/** An invoice that the provider knew once; null where there is none, or no database to search. */
async function storedInvoiceId(url: Secret, source: string): Promise<string | null> {
  const { db, close } = connectOnce(url);
  try {
    return await newestInvoiceId(db, source);
  } catch {
    return null;
  } finally {
    await close();
  }
}

async function checkCollection(client: CollectionClient, id: string, about: string): Promise<Check> {
  try {
    const { collectionName, status } = await client.getCollection(id);
    const named = `the key opens collection "${collectionName}"`;
    return status === null || status.toLowerCase() === "active"
      ? ok(about, named)
      : warning(about, `${named}, whose status is ${status}`);
  } catch (error) {
    if (!isNotFound(error)) return fault(about, wordsFor(error), isAway(error));
    return fault(
      about,
      error.inEnvelope
        ? `it does not know collection ${id}. Check COLLECTION_IDS`
        : `asked for collection ${id}, ${NOT_ITS_WORDS} and COLLECTION_IDS`,
    );
  }
}

const isNotFound = (error: unknown): error is CollectionApiError =>
  error instanceof CollectionApiError && error.kind === "not_found";

const isAway = (error: unknown): boolean =>
  error instanceof CollectionApiError && error.code === "provider_away";

const WORDS: Readonly<Partial<Record<CollectionApiError["kind"], string>>> = {
  key_refused: "it refuses the key. Check COLLECTION_API_KEY; does it allow this address?",
  wrong_key_kind: "it knows the key, which is of the wrong kind. Check COLLECTION_API_KEY: Live or Test?",
  collection_closed: "it takes the key, but the collection is closed.",
};

function wordsFor(error: unknown): string {
  if (!(error instanceof CollectionApiError)) return messageOf(error);
  const words = WORDS[error.kind];
  return words === undefined
    ? `${sentence(error.message)} Check COLLECTION_API_URL.`
    : `${words} ${sentence(error.message)}`;
}
