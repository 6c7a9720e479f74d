import { expect, inject, it } from "vitest";
import { createEmptyTestDatabase, createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { ask } from "./embedded-holding.ts";

const nameOf = (database: TestDatabase) => new URL(database.url).pathname.slice(1);
const named = (name: string) => `select 1 from pg_database where datname = '${name}'`;
const isMigrated = "select to_regclass('public.callback') is not null as migrated";

it("gives each caller a migrated database of its own, many at once", async () => {
  const databases = await Promise.all(Array.from({ length: 8 }, createTestDatabase));
  expect(new Set(databases.map(nameOf)).size).toBe(8);
  for (const { url } of databases) expect(await ask(url, isMigrated)).toEqual([{ migrated: true }]);
  await ask(databases[0]?.url ?? "", "create table mine as select 1");
  expect(await ask(databases[1]?.url ?? "", "select to_regclass('mine') as mine")).toEqual([{ mine: null }]);
  await Promise.all(databases.map((database) => database.drop()));
});

it("gives an empty database to a test that migrates by itself", async () => {
  const database = await createEmptyTestDatabase();
  expect(await ask(database.url, isMigrated)).toEqual([{ migrated: false }]);
  await database.drop();
});

it("makes only databases whose names begin with invoice_relay_test_, and drops them with open sessions", async () => {
  const { serverUrl } = inject("databaseRun");
  const database = await createTestDatabase();
  expect(nameOf(database)).toMatch(/^invoice_relay_test_/);
  const asleep = ask(database.url, "select pg_sleep(3600)").catch((error) => error.message);
  const sleepers = `select 1 from pg_stat_activity where datname = '${nameOf(database)}'
    and wait_event = 'PgSleep'`;
  await expect.poll(() => ask(serverUrl, sleepers)).toHaveLength(1);
  await database.drop();
  expect(await asleep).toMatch(/terminat/);
  expect(await ask(serverUrl, named(nameOf(database)))).toEqual([]);
});
