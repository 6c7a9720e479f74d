import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../../src/database/connect.ts";
import { type MigrationSet, migrateToLatest, SCHEMAS } from "../../src/database/migrate.ts";
import { type DeclaredStatement, statements } from "../../src/database/statement.ts";
import { Secret } from "../../src/kit/secret.ts";
import { createEmptyTestDatabase } from "../support/database.ts";
import { describeStatement } from "../support/describe-statement.ts";

const src = resolve(import.meta.dirname, "../../src");
// What starts something when it is loaded, and what has no database; console/pages is for browsers.
const WITHOUT = ["cli", "lambda", "events"];
const ROOMS = readdirSync(src, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !WITHOUT.includes(entry.name))
  .map(({ name }) => name);

/** Statements come into being when the file that holds them is loaded. @returns those that were new. */
async function load(...rooms: readonly string[]): Promise<DeclaredStatement[]> {
  const before = new Set(statements);
  for (const room of rooms)
    for (const file of readdirSync(join(src, room), { recursive: true, encoding: "utf8" }))
      if (file.endsWith(".ts") && !(room === "console" && file.startsWith("pages/")))
        await import(join(src, room, file));
  return statements.filter((statement) => !before.has(statement));
}

/** Holds what Postgres says of each to what it declares. */
async function prepare(set: MigrationSet, declared: readonly DeclaredStatement[]): Promise<void> {
  const { url, drop } = await createEmptyTestDatabase();
  const { db, close } = connect(new Secret(url), { max: 1, schema: SCHEMAS[set] });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await close();
    await drop();
  });
  await migrateToLatest(db, set);
  await client.query(`set search_path = ${SCHEMAS[set]}`);
  const wrong: string[] = [];
  for (const { returns, texts } of declared.map((one) => ({ returns: one.returns, texts: one.texts(db) }))) {
    const columns = Object.entries(returns).map(([name, { oid }]) => ({ name, dataTypeID: oid }));
    for (const text of texts) {
      const described = await describeStatement(client, text).catch((error: Error) => error.message);
      if (JSON.stringify(described) !== JSON.stringify(columns))
        wrong.push(`${text}\ndeclares ${JSON.stringify(columns)}\nand ${JSON.stringify(described)}`);
    }
  }
  expect(wrong).toEqual([]);
}

describe("statements written by hand", () => {
  it("are taken by Postgres, and return the columns that they declare", async () => {
    const shared = await load("database");
    const ofSandbox = await load("sandbox");
    const ofRelay = await load(...ROOMS);
    expect(ofSandbox.length).toBeGreaterThan(2);
    expect(ofRelay.length).toBeGreaterThan(80);
    await prepare("collection-service", ofSandbox);
    await prepare("relay", [...shared, ...ofRelay]);
  });
});
