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
    ...{ migrations: [], partitions: [], schema: "current" },
  });
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
