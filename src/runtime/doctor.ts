import { randomUUID } from "node:crypto";
import { sql } from "kysely";
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
  Statement,
  schemaState,
} from "../platform/database/index.ts";
import { isDatabaseAway, messageOf, RelayError, withCommand } from "../platform/errors/index.ts";
import { sentence } from "../platform/values/index.ts";
import { CollectionApiError, CollectionClient } from "../provider/index.ts";
import { callbackUrl, callbackUrlWarnings } from "./callback-url.ts";
import { destinationOf } from "./pumps.ts";

type Environment = Record<string, string | undefined>;

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
const fault = (about: string, says: string, away = false): Check => ({
  ...{ about, state: "fault", says },
  ...(away && { away }),
});

/**
 * Checks everything that `serve` needs, and changes nothing. Sources are checked side by side.
 */
export async function* doctor(environment: Environment): AsyncGenerator<Check> {
  let settings: ServeSettings | null = null;
  try {
    settings = readSettings(environment, SERVE_REQUIRES);
    yield ok("settings", "everything that serve needs is there");
  } catch (error) {
    const problems = error instanceof SettingsError ? error.problems : [messageOf(error)];
    for (const problem of problems) yield fault("settings", problem);
  }
  yield* checkDatabase(environment);
  if (settings === null)
    return yield warning(
      "the rest",
      "callback URL, provider and topics were not checked: put the settings right first",
    );
  const sources = sourcesOf(settings);
  yield* checkCallbackUrls(settings, sources);
  const { CONFIRM_TIMEOUT } = settings;
  yield* (await Promise.all(sources.map((source) => checkProvider(source, CONFIRM_TIMEOUT)))).flat();
  yield* await checkTopics(sources, settings);
  yield* checkSharing(sources);
  yield* checkReconciliation(sources);
}

const OLDEST = 15;

/** Reachable, of a version that is supported, durable, with the current schema. */
async function* checkDatabase({ DATABASE_URL }: Environment): AsyncGenerator<Check> {
  const url = databaseUrlIn(DATABASE_URL);
  // Reported among the settings.
  if (url === undefined) return;
  const { db, close } = connect(url, {
    ...{ max: 1, connectTimeoutMs: 5_000, applicationName: "invoice-relay doctor" },
  });
  try {
    yield* await checkServer(db);
    yield await checkSchema(db);
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

function databaseUrlIn(DATABASE_URL: string | undefined) {
  try {
    return readSettings({ DATABASE_URL }).DATABASE_URL;
  } catch {
    return undefined;
  }
}

const selectServer = new Statement(
  { version: returned.integer, shown: returned.text(), fsync: returned.text(), readOnly: returned.boolean },
  () => sql`
    select current_setting('server_version_num')::int as version,
      current_setting('server_version') as shown,
      current_setting('fsync') as fsync,
      pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "readOnly"`,
);

async function checkServer(db: Database): Promise<Check[]> {
  const about = "database";
  const [server] = await selectServer.execute(db);
  const { shown = "", readOnly = false, fsync = "", version = 0 } = server ?? {};
  return [
    version < OLDEST * 10_000
      ? fault(about, `PostgreSQL ${shown} is too old: it should be ${OLDEST} or newer`)
      : ok(about, `PostgreSQL ${shown} answers`),
    ...(readOnly
      ? [fault(about, "it is read-only: nothing can be recorded. Point DATABASE_URL at the primary")]
      : []),
    ...(fsync === "off"
      ? [fault(about, "fsync is off: a crash would lose callbacks that were answered. Turn it on")]
      : []),
  ];
}

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

const NOT_ITS_WORDS = "404 as any web server gives it. Check COLLECTION_API_URL and COLLECTION_IDS";

/** Requests its collections or, where it has none, an invoice that cannot exist. */
async function checkProvider(source: Source, timeoutMs: number): Promise<Check[]> {
  const about = `provider of ${source.name}`;
  const { collectionApiUrl: baseUrl, collectionApiKey: apiKey, collectionIds } = source;
  const client = new CollectionClient({ baseUrl, apiKey, timeoutMs });
  const checkCollection = async (id: string): Promise<Check> => {
    const { collectionName, status } = await client.getCollection(id);
    const named = `the key opens collection "${collectionName}"`;
    const isActive = status === null || status.toLowerCase() === "active";
    return isActive ? ok(about, named) : warning(about, `${named}, whose status is ${status}`);
  };
  const checkKey = async (): Promise<Check> => {
    await client.getInvoice(randomUUID());
    return warning(about, "it knows an invoice whose id was just made up: is this the right API?");
  };
  const explain = (error: unknown, id?: string): Check => {
    if (!(error instanceof CollectionApiError)) return fault(about, messageOf(error));
    if (error.kind !== "not_found")
      return fault(
        about,
        `${sentence(error.message)} Check COLLECTION_API_URL and COLLECTION_API_KEY.`,
        error.code === "provider_away",
      );
    if (!error.inEnvelope) return fault(about, NOT_ITS_WORDS);
    return id === undefined
      ? ok(about, "it answers, and takes the key")
      : fault(about, `it does not know collection ${id}. Check COLLECTION_IDS`);
  };
  try {
    if (collectionIds.length === 0) return [await checkKey().catch(explain)];
    const checks: Check[] = [];
    for (const id of collectionIds) {
      const check = await checkCollection(id).catch((error: unknown) => explain(error, id));
      // A result that is the same for each collection concerns the whole account.
      if (checks.every(({ says }) => says !== check.says)) checks.push(check);
    }
    return checks;
  } finally {
    await client.close();
  }
}
