import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../../src/database/connect.ts";
import { statements } from "../../src/database/statement.ts";
import { Secret } from "../../src/kit/secret.ts";
import { createTestDatabase } from "../support/database.ts";
import { describeStatement } from "../support/describe-statement.ts";

const src = resolve(import.meta.dirname, "../../src");
// What starts something when it is loaded, and what has no database; console/pages is for browsers.
const WITHOUT = ["cli", "lambda", "sandbox", "events"];
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

describe("statements written by hand", () => {
  it("are taken by Postgres, and return the columns that they declare", async () => {
    await loadAll();
    const { url, drop } = await createTestDatabase();
    const { db, close } = connect(new Secret(url), { max: 1 });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(async () => {
      await client.end();
      await close();
      await drop();
    });
    expect(statements.length).toBeGreaterThan(10);
    for (const statement of statements) {
      const declared = Object.entries(statement.returns).map(([name, { oid }]) => ({
        name,
        dataTypeID: oid,
      }));
      for (const text of statement.texts(db)) {
        const described = await describeStatement(client, text).catch(
          (error: Error) => `${error.message}: ${text}`,
        );
        expect(described).toEqual(declared);
      }
    }
  });
});
