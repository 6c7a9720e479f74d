import { sql } from "kysely";
import { EARLIER, schemaState } from "../database/migrate.ts";
import { encodingFault, requireWholeSessions } from "../database/server.ts";
import { returned, type Slots, Statement } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { messageOf, RelayError } from "../kit/errors.ts";
import { isDatabaseAway } from "../kit/postgres-errors.ts";
import type { Secret } from "../kit/secret.ts";
import { readSettings, SERVE_REQUIRES, type ServeSettings, SettingsError } from "../kit/settings.ts";
import { sourcesOf } from "../kit/sources.ts";
import type { StatusSettings } from "../operate/status.ts";
import { adviceOf } from "../operate/status.ts";
import { readStatus } from "../operate/status-facts.ts";
import { partitionsDue } from "../receive/log/partitions.ts";
import {
  type Check,
  checkAlarmWebhook,
  checkCallbackUrls,
  checkProvider,
  checkReconciliation,
  checkSharing,
  checkTopics,
  connectOnce,
  fault,
  ok,
  warning,
} from "./doctor-checks.ts";
import { statusSettings } from "./settings-shown.ts";

type Environment = Record<string, string | undefined>;

/** Looks at everything that `serve` needs; changes nothing, and sends the alarm webhook a test. Sources are asked side by side. */
export async function* doctor(environment: Environment): AsyncGenerator<Check> {
  let settings: ServeSettings | null = null;
  try {
    settings = readSettings(environment, SERVE_REQUIRES);
  } catch (error) {
    const problems = error instanceof SettingsError ? error.problems : [messageOf(error)];
    for (const problem of problems) yield fault("settings", problem);
  }
  if (settings !== null) yield ok("settings", "everything that serve needs is there");
  // That nothing is reconciled is left out here: `checkReconciliation` tells it, as a fault.
  yield* checkDatabase(environment, { ...statusSettings(settings ?? readSettings({})), sources: null });
  if (settings === null)
    return yield warning(
      "the rest",
      "callback URL, provider and topics were not checked: put the settings right first",
    );
  const sources = sourcesOf(settings);
  yield* checkCallbackUrls(settings, sources);
  // None waits for another that does not answer.
  yield* (await Promise.all(sources.map((source) => checkProvider(source, settings)))).flat();
  yield* await checkTopics(sources, settings);
  yield* checkSharing(sources);
  yield* checkReconciliation(sources);
  yield await checkAlarmWebhook(settings);
}

const [OLDEST, NEWEST] = [15, 18];

/** Reachable, of a version that is supported, durable, with the current schema and the partitions ahead. */
async function* checkDatabase(environment: Environment, settings: StatusSettings): AsyncGenerator<Check> {
  const url = databaseUrlOf(environment);
  // What is wrong with it is reported among the settings.
  if (url === undefined) return;
  const { db, close } = connectOnce(url);
  try {
    yield* await checkServer(db);
    yield await checkSessions(url);
    const schema = await checkSchema(db);
    yield schema;
    yield await checkPartitions(db);
    if (schema.state !== "fault") yield* checkStatus(db, settings);
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
  const wrongEncoding = await encodingFault(db);
  if (wrongEncoding !== null) checks.push(fault(about, wrongEncoding));
  if (fsync === "off")
    checks.push(fault(about, "fsync is off: a crash would lose callbacks that were answered. Turn it on"));
  return checks;
}

/** Every session sets that its commits are durable; this checks that it stays the same session. */
const checkSessions = (url: Secret): Promise<Check> =>
  requireWholeSessions(url).then(
    () => ok("sessions", "commits are durable, messages arrive"),
    (error: unknown) => fault("sessions", messageOf(error)),
  );

async function checkSchema(db: Database): Promise<Check> {
  const about = "schema";
  const schema = await schemaState(db, "relay");
  switch (schema.state) {
    case "current":
      return ok(about, "current");
    case "earlier":
      return fault(about, EARLIER);
    case "behind":
      return fault(about, `behind by ${schema.missing.join(", ")}. Run: invoice-relay migrate`);
    case "ahead":
      return warning(about, `ahead by ${schema.unknown.join(", ")}, with which this version works too`);
  }
}

/** What waits for a person, as `status` tells it; none of it keeps `serve` from starting. */
async function* checkStatus(db: Database, settings: StatusSettings): AsyncGenerator<Check> {
  const { needs, sentence } = await readStatus(db, settings);
  for (const need of needs) yield warning("status", `${need.what}. ${adviceOf(need)}`);
  if (needs.length === 0) yield ok("status", sentence);
}

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
  return fault(about, `missing: ${rows.map(({ name }) => name).join(", ")}. Run: invoice-relay migrate`);
}
