import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { migrateToLatest, requireSchema, schemaState } from "../../src/database/migrate.ts";
import { describeSchema } from "../../src/database/schema-differences.ts";
import { createEmptyTestDatabase, createTestDatabase, ownDatabase } from "../support/database.ts";

const open = async (create: typeof createTestDatabase, schema = "public") =>
  (await ownDatabase({ max: 4, schema }, create)).db;

describe("migrations", () => {
  it.each([
    ["relay", "relay", undefined],
    ["collection-service", "service", "collection_service"],
  ] as const)(
    "make the schema of migrations/%s.schema.ts (run with -u after a change, and read the difference)",
    async (set, name, schema) => {
      const db = await open(createEmptyTestDatabase, schema);
      await migrateToLatest(db, set);
      const tables = Object.entries(await describeSchema(db)).map(
        ([table, lines]) => `  ${table}: \`${lines.replaceAll("\\", "\\\\")}\`,\n`,
      );
      await expect(`// Generated from the migrated database. Anew: npx vitest run --project relay test/database -u

/** What the migrations make: the types of its columns are read from it, and \`doctor\` compares a relay's with it. */
export const ${name}Schema = {
${tables.join("")}} as const;
`).toMatchFileSnapshot(`../../migrations/${set}.schema.ts`);
    },
  );

  it("say of every table what it holds", async () => {
    const db = await open(createTestDatabase);
    const silent = await sql<{ name: string }>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and relname !~ '^(callback_[0-9]{4}_[0-9]{2}|kysely_.*)$'
        and obj_description(oid, 'pg_class') is null`.execute(db);
    expect(silent.rows).toEqual([]);
  });

  it("run once, also when several processes start at the same time", async () => {
    const db = await open(createEmptyTestDatabase);
    const ran = await Promise.all([1, 2, 3].map(() => migrateToLatest(db, "relay")));
    expect(ran.filter((names) => names.length > 0)).toHaveLength(1);
    expect(await schemaState(db, "relay")).toEqual({ state: "current" });
    expect(await migrateToLatest(db, "relay")).toEqual([]);
  });

  it("a schema that is behind is refused with the command to run", async () => {
    const db = await open(createEmptyTestDatabase);
    await expect(requireSchema(db, "relay")).rejects.toThrow(/behind.*Run: invoice-relay migrate/);
    await migrateToLatest(db, "relay");
    await sql`delete from kysely_migration where name = (select max(name) from kysely_migration)`.execute(db);
    await expect(requireSchema(db, "relay")).rejects.toThrow(/behind this program by 1 migration /);
  });

  it("a schema that is ahead is accepted, unless by a migration marked breaking", async () => {
    const db = await open(createTestDatabase);
    await sql`insert into kysely_migration values ('9998_adds_a_column', '')`.execute(db);
    await requireSchema(db, "relay");
    expect(await migrateToLatest(db, "relay")).toEqual([]);
    await sql`insert into kysely_migration values ('9999_drops_a_column.breaking', '')`.execute(db);
    await expect(requireSchema(db, "relay")).rejects.toThrow(/ahead.*9999_drops_a_column\.breaking.*Deploy/);
  });
});
