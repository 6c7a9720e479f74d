import { expect, it, vi } from "vitest";
import { runCli, startCli } from "../../support/cli-process.ts";
import { createEmptyTestDatabase, openSession, ownDatabaseUrl } from "../../support/database.ts";

const emptyDatabase = async () => ({ DATABASE_URL: await ownDatabaseUrl(createEmptyTestDatabase) });

async function migrate(environment: Record<string, string>, ...words: string[]) {
  const { code, stdout, stderr } = await runCli(["migrate", ...words, "--json"], environment);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as { migrations: string[]; partitions: string[]; roles: string; schema: string };
}

it("migrate makes everything in an empty database, and has nothing to do the second time", async () => {
  const environment = await emptyDatabase();
  const { migrations, partitions } = await migrate(environment);
  expect(migrations[0]).toBe("0001_callback");
  expect(partitions).toHaveLength(4);
  expect(await migrate(environment)).toEqual({
    ...{ migrations: [], partitions: [], roles: "granted", schema: "current" },
  });
});

it("migrate keeps out of a database with other tables, unless it is told to live among them", async () => {
  const environment = await emptyDatabase();
  const client = await openSession(environment.DATABASE_URL);
  await client.query(
    "create schema shop; create table shop.orders (id int); create view customers as select 1",
  );
  const tables = async () =>
    (await client.query("select from pg_tables where schemaname = 'public'")).rowCount;
  for (const words of [["migrate"], ["demo", "--database"]]) {
    const refused = { code: 1, stderr: expect.stringContaining("public.customers, shop.orders") };
    expect(await runCli(words, environment)).toMatchObject(refused);
  }
  expect(await tables()).toBe(0);
  expect((await migrate(environment, "--into-shared")).schema).toBe("current");
  expect(await tables()).toBeGreaterThan(20);
  expect((await migrate(environment)).migrations).toEqual([]);
});

it("migrate, killed, keeps nothing of what was under way and leaves no session behind", async () => {
  const environment = await emptyDatabase();
  const holder = await openSession(environment.DATABASE_URL);
  const looker = await openSession(environment.DATABASE_URL);
  const sessions = async () =>
    (
      await looker.query(
        `select wait_event_type as waits from pg_stat_activity
          where application_name = 'invoice-relay migrate' and datname = current_database()
          and state = 'active'`,
      )
    ).rows;
  // The migration waits for whoever is making a table of the same name.
  await holder.query("begin; create table callback (id int)");
  const { child } = startCli(["migrate"], environment);
  await vi.waitFor(async () => expect(await sessions()).toEqual([{ waits: "Lock" }]));
  child.kill("SIGKILL");
  await vi.waitFor(async () => expect(await sessions()).toEqual([]));
  await holder.query("rollback");
  expect((await migrate(environment)).migrations[0]).toBe("0001_callback");
});
