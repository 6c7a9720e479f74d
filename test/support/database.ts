import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { inject } from "vitest";
import { connect } from "../../src/database/connect.ts";
import { migrateToLatest } from "../../src/database/migrate.ts";
import { Secret } from "../../src/kit/secret.ts";

export interface TestDatabase {
  /** `postgres://…` */
  readonly url: string;
  /** Ends its sessions and removes it. */
  drop(): Promise<void>;
}

/** A database of its own with the relay's newest schema: a clone of the run's template. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(inject("databaseServerUrl"), inject("templateDatabase"));
}

/** A database of its own without any schema. */
export function createEmptyTestDatabase(): Promise<TestDatabase> {
  return createDatabase(inject("databaseServerUrl"), "template0");
}

/** Makes the migrated database that the tests of one run clone. */
export async function makeTemplateDatabase(
  serverUrl: string,
): Promise<{ name: string; drop(): Promise<void> }> {
  const database = await createDatabase(serverUrl, "template0");
  const connection = connect(new Secret(database.url), { max: 1 });
  try {
    await migrateToLatest(connection.db, "relay");
  } finally {
    await connection.close();
  }
  return { name: new URL(database.url).pathname.slice(1), drop: database.drop };
}

const OBJECT_IN_USE = "55006";

async function createDatabase(serverUrl: string, template: string): Promise<TestDatabase> {
  const name = `invoice_relay_test_${randomBytes(8).toString("hex")}`;
  const create = `create database ${name} template ${template} encoding 'UTF8'`;
  await onServer(serverUrl, async (client) => {
    // A session that just ended may still be counted, autovacuum may be looking in.
    for (const until = Date.now() + 20_000; ; ) {
      try {
        return await client.query(create);
      } catch (error) {
        if ((error as { code?: string }).code !== OBJECT_IN_USE || Date.now() > until) throw error;
        await delay(50);
      }
    }
  });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const drop = () =>
    onServer(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
  return { url: url.href, drop };
}

async function onServer(serverUrl: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
