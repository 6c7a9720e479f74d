import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { inject } from "vitest";
import { type ConnectOptions, connect } from "../../src/platform/database/connect.ts";
import { migrateToLatest } from "../../src/platform/database/migrate.ts";
import type { Database } from "../../src/platform/database/tables.ts";
import { Secret } from "../../src/platform/values/mask.ts";
import { onTestFinished } from "./own-test.ts";
import { TIMEOUT_MS } from "./timeout-ms.ts";

export interface TestDatabase {
  readonly url: string;
  /** Ends its sessions and removes it. */
  drop(): Promise<void>;
}

/** A database of its own with the relay's newest schema: a clone of the run's template. */
export function createTestDatabase(): Promise<TestDatabase> {
  const run = inject("databaseRun");
  return createDatabase(run, templateOf(run));
}

/** A database of its own without any schema. @param as its encoding and locale, as `create database` writes them. */
export function createEmptyTestDatabase(as?: string): Promise<TestDatabase> {
  return createDatabase(inject("databaseRun"), "template0", undefined, as);
}

/** One of them, gone with the test. @returns its URL */
export async function ownDatabaseUrl(create = createTestDatabase): Promise<string> {
  const { url, drop } = await create();
  onTestFinished(drop);
  return url;
}

/** A connection to a database of the relay's, closed with the test. */
export function openDatabase(url: string, options: ConnectOptions = {}): Database {
  const { db, close } = connect(new Secret(url), { max: 4, ...options });
  onTestFinished(close);
  return db;
}

/** A database of its own, and a connection to it; both end with the test. */
export async function ownDatabase(options: ConnectOptions = {}, create = createTestDatabase) {
  const url = await ownDatabaseUrl(create);
  return { url, db: openDatabase(url, options) };
}

/** A session beside those of the relay, ended with the test. */
export async function openSession(url: string): Promise<pg.Client> {
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  onTestFinished(() => session.end());
  return session;
}

/** One statement, in a session of its own. @returns its rows */
export async function queryOn(url: string, text: string, values: unknown[] = []) {
  const session = new pg.Client({ connectionString: url });
  session.on("error", () => undefined);
  await session.connect();
  try {
    return (await session.query(text, values)).rows;
  } finally {
    await session.end();
  }
}

/** What the databases of one run of the tests have in common. */
interface DatabaseRun {
  readonly serverUrl: string;
  /** Begins the name of each of its databases, so that two runs may share a server. */
  readonly prefix: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    databaseRun: DatabaseRun;
  }
}

const templateOf = (run: DatabaseRun) => `${run.prefix}_template`;

/** Makes the migrated database that the tests of this run clone. */
export async function beginDatabaseRun(serverUrl: string): Promise<DatabaseRun> {
  const run = { serverUrl, prefix: `invoice_relay_test_${randomBytes(4).toString("hex")}` };
  const template = await createDatabase(run, "template0", templateOf(run));
  const connection = connect(new Secret(template.url), { max: 1 });
  try {
    await migrateToLatest(connection.db, "relay");
  } catch (error) {
    await template.drop();
    throw error;
  } finally {
    await connection.close();
  }
  return run;
}

/** Drops every database of this run, those that a failed test left behind too. */
export async function endDatabaseRun({ serverUrl, prefix }: DatabaseRun): Promise<void> {
  const server = sessionsOn(serverUrl);
  const ours = `select datname from pg_database where starts_with(datname, '${prefix}_')`;
  for (const { datname } of (await server.query(ours)).rows)
    await server.query(`drop database ${datname} with (force)`);
}

const OBJECT_IN_USE = "55006";

async function createDatabase(
  { serverUrl, prefix }: DatabaseRun,
  template: string,
  name = `${prefix}_${randomBytes(6).toString("hex")}`,
  as = "encoding 'UTF8'",
): Promise<TestDatabase> {
  const server = sessionsOn(serverUrl);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  for (const until = Date.now() + TIMEOUT_MS; ; ) {
    try {
      // Copied as files: half the time of what goes through the log.
      await server.query(`create database ${name} template ${template} strategy file_copy ${as}`);
      break;
    } catch (error) {
      // A session on the template that just ended is still counted for a moment, and autovacuum looks in.
      if ((error as { code?: string }).code !== OBJECT_IN_USE || Date.now() > until) throw error;
      await delay(50);
    }
  }
  return {
    url: url.href,
    async drop() {
      await server.query(`drop database if exists ${name} with (force)`);
    },
  };
}

const servers = new Map<string, pg.Pool>();

/** A few sessions for all that a process makes and drops: one for each would cost a login every time. */
function sessionsOn(serverUrl: string): pg.Pool {
  const known = servers.get(serverUrl);
  if (known !== undefined) return known;
  // They keep no process from its end, nor does their end.
  const ends = { idleTimeoutMillis: 0, allowExitOnIdle: true };
  const pool = new pg.Pool({ connectionString: serverUrl, max: 3, ...ends });
  pool.on("error", () => undefined);
  servers.set(serverUrl, pool);
  return pool;
}
