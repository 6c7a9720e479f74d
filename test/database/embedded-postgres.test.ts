import pg from "pg";
import { expect, it } from "vitest";
import { createTestDatabase } from "../support/database.ts";

it("gives every test a migrated database of its own", async () => {
  const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  expect(one.url).not.toBe(two.url);
  const client = new pg.Client({ connectionString: one.url });
  await client.connect();
  const { rows } = await client.query("select to_regclass('public.callback') is not null as migrated");
  await client.end();
  expect(rows).toEqual([{ migrated: true }]);
  await Promise.all([one.drop(), two.drop()]);
});
