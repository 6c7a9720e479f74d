import pg from "pg";
import { expect, inject, it } from "vitest";
import { ask } from "../sandbox/postgres/embedded-holding.ts";
import { createTestDatabase } from "../support/database.ts";

// Slow, since Postgres itself waits five seconds before it says that a template is in use.
it("asks again for a clone of a template that somebody uses", async () => {
  const { serverUrl, prefix } = inject("databaseRun");
  const template = new URL(serverUrl);
  template.pathname = `/${prefix}_template`;
  const user = new pg.Client({ connectionString: template.href });
  await user.connect();
  const wanted = createTestDatabase();

  const asked = new Set<unknown>();
  const attempts = `select query_start::text as begun from pg_stat_activity
    where query like 'create database ${prefix}%' and state = 'active'`;
  while (asked.size < 2) for (const { begun } of await ask(serverUrl, attempts)) asked.add(begun);
  await user.end();

  const database = await wanted;
  expect(await ask(database.url, "select to_regclass('public.callback') is not null as migrated")).toEqual([
    { migrated: true },
  ]);
  await database.drop();
});
