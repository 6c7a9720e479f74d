import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { invoicePaidId } from "../../../src/events/index.ts";
import { migrateToLatest, requireSchema, schemaState } from "../../../src/platform/database/migrate.ts";
import { createEmptyTestDatabase, createTestDatabase, ownDatabase } from "../../support/database.ts";
import { describeSchema } from "./describe-schema.ts";

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
      await expect(`// Generated from the migrated database. Anew: npx vitest run --project relay test/platform/database -u

/** What the migrations make: the types of its columns are read from it. */
export const ${name}Schema = {
${tables.join("")}} as const;
`).toMatchFileSnapshot(`../../../migrations/${set}.schema.ts`);
    },
  );

  it("compute an event's id as its consumers do (G4)", async () => {
    const db = await open(createTestDatabase);
    const invoiceIds = ["00000000-0000-0000-0000-000000000000", "0A0b0C0d-1111-4222-8333-445566778899"];
    const { rows } = await sql`
      select event_id(id, 'invoice.paid') as id
      from unnest(${invoiceIds}::uuid[]) with ordinality as given (id, n) order by n`.execute(db);
    expect(rows).toEqual(invoiceIds.map((id) => ({ id: invoicePaidId(id) })));
  });

  it("say of every table what it holds, and give it a primary key, without which a publication refuses deletes", async () => {
    const db = await open(createTestDatabase);
    const lacking = await sql`
      select relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and relname !~ '^(callback_[0-9]{4}_[0-9]{2}|kysely_.*)$'
        and (obj_description(oid, 'pg_class') is null
          or not exists (select from pg_index where indrelid = pg_class.oid and indisprimary))`.execute(db);
    expect(lacking.rows).toEqual([]);
  });

  it("run once, also when several processes start at the same time", async () => {
    const db = await open(createEmptyTestDatabase);
    const ran = await Promise.all([1, 2, 3].map(() => migrateToLatest(db, "relay")));
    expect(ran.filter((names) => names.length > 0)).toHaveLength(1);
    expect(await schemaState(db, "relay")).toEqual({ state: "current" });
    expect(await migrateToLatest(db, "relay")).toEqual([]);
  });

  it("a schema that is behind is refused, by so many migrations", async () => {
    const db = await open(createEmptyTestDatabase);
    await expect(requireSchema(db, "relay")).rejects.toMatchObject({ name: "RelayError" });
    await migrateToLatest(db, "relay");
    await sql`delete from kysely_migration where name = (select max(name) from kysely_migration)`.execute(db);
    expect(await schemaState(db, "relay")).toMatchObject({ state: "behind" });
    await expect(requireSchema(db, "relay")).rejects.toMatchObject({ name: "RelayError" });
  });

  it("a schema that is ahead is accepted", async () => {
    const db = await open(createTestDatabase);
    await sql`insert into kysely_migration values ('9998_adds_a_column', '')`.execute(db);
    await requireSchema(db, "relay");
    expect(await migrateToLatest(db, "relay")).toEqual([]);
  });
});
