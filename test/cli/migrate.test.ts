import { describe, expect, it, vi } from "vitest";
import { runCli, startCli } from "../support/cli-process.ts";
import { createEmptyTestDatabase, openSession, ownDatabaseUrl } from "../support/database.ts";

const emptyDatabase = async () => ({ DATABASE_URL: await ownDatabaseUrl(createEmptyTestDatabase) });

describe("invoice-relay migrate", () => {
  it("makes everything in an empty database, says what it did, and has nothing to do the second time", async () => {
    const environment = await emptyDatabase();
    const first = await runCli(["migrate"], environment);
    expect(first.code).toBe(0);
    expect(first.stdout).toContain("ran migration 0001_callback\n");
    expect(first.stdout.match(/made partition callback_\d{4}_\d{2}/g)).toHaveLength(4);
    expect(first.stdout).toMatch(/The schema is current\.\n$/);

    const second = await runCli(["migrate"], environment);
    expect(second).toEqual({ code: 0, stdout: "no migration to run\nThe schema is current.\n", stderr: "" });
    const third = await runCli(["migrate", "--json"], environment);
    expect(JSON.parse(third.stdout)).toEqual({
      migrations: [],
      partitions: [],
      roles: "granted",
      schema: "current",
    });
  });

  it("keeps out of a database with other tables, unless it is told to live among them", async () => {
    const environment = await emptyDatabase();
    const client = await openSession(environment.DATABASE_URL);
    await client.query(
      "create schema shop; create table shop.orders (id int); create view customers as select 1",
    );
    const tables = async () =>
      (await client.query("select from pg_tables where schemaname = 'public'")).rowCount;

    const words = {
      code: 1,
      stderr: expect.stringMatching(/: public\.customers, shop\.orders\. .* --into-shared\n$/),
    };
    expect(await runCli(["migrate"], environment)).toMatchObject(words);
    expect(await runCli(["demo", "--database"], environment)).toMatchObject(words);
    expect(await tables()).toBe(0);

    expect((await runCli(["migrate", "--into-shared"], environment)).code).toBe(0);
    expect(await tables()).toBeGreaterThan(20);
    expect((await runCli(["migrate"], environment)).stdout).toContain("no migration to run\n");
  });

  it("killed, keeps nothing of what was under way and leaves no session behind", async () => {
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
    const migrate = startCli(["migrate"], environment);
    await vi.waitFor(async () => expect(await sessions()).toEqual([{ waits: "Lock" }]));

    migrate.child.kill("SIGKILL");

    await vi.waitFor(async () => expect(await sessions()).toEqual([]));
    await holder.query("rollback");
    expect((await runCli(["migrate"], environment)).stdout).toContain("ran migration 0001_callback\n");
  });
});
