import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type pg from "pg";
import { describe, expect, it } from "vitest";
import { type MigrationSet, migrateToLatest, SCHEMAS } from "../../src/database/migrate.ts";
import { statements } from "../../src/database/statement.ts";
import { createEmptyTestDatabase, openSession, ownDatabase } from "../support/database.ts";

const src = resolve(import.meta.dirname, "../../src");
// What starts something when it is loaded, and what has no database; console/pages is for browsers.
const WITHOUT = ["cli", "lambda", "events"];
const ROOMS = readdirSync(src, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !WITHOUT.includes(entry.name))
  .map(({ name }) => name);

/** Statements come into being when the file that holds them is loaded. */
async function loadAll() {
  for (const room of ROOMS)
    for (const file of readdirSync(join(src, room), { recursive: true, encoding: "utf8" }))
      if (file.endsWith(".ts") && !(room === "console" && file.startsWith("pages/")))
        await import(join(src, room, file));
}

/** A database with one set of tables. @returns its connection, and what prepares a text there. */
async function databaseOf(set: MigrationSet) {
  const { url, db } = await ownDatabase({ max: 1, schema: SCHEMAS[set] }, createEmptyTestDatabase);
  const client = await openSession(url);
  await migrateToLatest(db, set);
  await client.query(`set search_path = ${SCHEMAS[set]}`);
  const prepare = (text: string) =>
    describeStatement(client, text).then(JSON.stringify, (error: Error) => error.message);
  return { db, prepare };
}

describe("statements written by hand", () => {
  it("are taken by Postgres, and return the columns that they declare", async () => {
    await loadAll();
    const relay = await databaseOf("relay");
    // Both have a table named `invoice`.
    const sandbox = await databaseOf("collection-service");
    expect(statements.length).toBeGreaterThan(100);
    const wrong: string[] = [];
    for (const statement of statements) {
      const declared = JSON.stringify(
        Object.entries(statement.returns).map(([name, { oid }]) => ({ name, dataTypeID: oid })),
      );
      for (const text of statement.texts(relay.db)) {
        const found = await relay.prepare(text);
        if (found !== declared && (await sandbox.prepare(text)) !== declared)
          wrong.push(`${text}\ndeclares ${declared}\nand Postgres says ${found}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

type DescribedColumn = Record<"name", string> & Record<"dataTypeID", number>;

/** What a query of `pg` speaks the protocol with. */
interface Wire {
  parse(query: { text: string; name: string; types: number[] }): void;
  describe(what: { type: "S"; name: string }): void;
  sync(): void;
}

/**
 * Lets Postgres prepare a statement without running it. @returns its columns; none when it returns no rows.
 * @throws what Postgres says of a statement that it does not take.
 */
function describeStatement(client: pg.Client, text: string): Promise<DescribedColumn[]> {
  return new Promise((resolve, reject) => {
    let columns: DescribedColumn[] = [];
    const query = {
      submit(wire: Wire) {
        wire.parse({ text, name: "", types: [] });
        wire.describe({ type: "S", name: "" });
        wire.sync();
      },
      handleRowDescription({ fields }: { fields: DescribedColumn[] }) {
        columns = fields.map(({ name, dataTypeID }) => ({ name, dataTypeID }));
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(columns),
    };
    client.query(query as never);
  });
}
