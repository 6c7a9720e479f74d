import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { RelayClient } from "../../../src/platform/database/connect.ts";
import { type MigrationSet, migrateToLatest, SCHEMAS } from "../../../src/platform/database/migrate.ts";
import { statements } from "../../../src/platform/database/statement.ts";
import { formatSql } from "../../../tools/format-sql.ts";
import { createEmptyTestDatabase, openSession, ownDatabase } from "../../support/database.ts";
import { onTestFinished } from "../../support/own-test.ts";
import { ownRelay } from "../../support/relay.ts";
import { emptyCollection } from "../../support/scripted-provider.ts";

const src = resolve(import.meta.dirname, "../../../src");
// What starts something when it is loaded, and what has no database; console/pages is for browsers.
const WITHOUT = /^(events|runtime\/lambda|interfaces\/(cli|console\/pages))\//;

/** Statements come into being when the file that holds them is loaded. */
async function loadAll() {
  for (const file of readdirSync(src, { recursive: true, encoding: "utf8" }))
    if (file.endsWith(".ts") && !WITHOUT.test(file)) await import(join(src, file));
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

/** Of the session and its transactions: no statement of the relay's own. */
const OF_SESSION =
  /^(begin|commit|rollback|start transaction|set |listen|notify|select 1$|select "name" from "public"."kysely_migration")/i;

describe("docs/statements.sql", () => {
  it("has all that a relay executes, from its start to the event of a payment and the end of a sweep", async () => {
    const file = readFileSync(resolve(import.meta.dirname, "../../../docs/statements.sql"), "utf8");
    const shown = new Set(file.split(/;\n/).map((text) => text.replace(/^\s*(--.*\n\s*)*/, "")));
    const executed = new Set<string>();
    const query = vi.spyOn(RelayClient.prototype, "query");
    onTestFinished(() => query.mockRestore());
    const { harness, relay } = await ownRelay({ COLLECTION_IDS: randomUUID() });
    harness.provider.otherwise(emptyCollection("Term 1"));
    const id = harness.provider.paid();
    await relay.callback({ id });
    await vi.waitFor(() => expect(harness.sns.messages(harness.topicArn)).toHaveLength(1));
    await vi.waitFor(async () =>
      expect(await harness.query("select from sweep where state = 'done'")).toHaveLength(1),
    );
    const database = new URL(harness.databaseUrl).pathname.slice(1);
    // A service of another file's test may still be at its end, in this process.
    for (const [index, [given]] of (query.mock.calls as unknown[][]).entries())
      if ((query.mock.contexts[index] as RelayClient | undefined)?.database === database)
        executed.add(typeof given === "string" ? given : (given as { text: string }).text);
    expect(executed.size).toBeGreaterThan(40);
    // A query of the builder is shown with all of its filters.
    const head = (text: string) => text.split(/\bwhere\b/)[0];
    const heads = new Set([...shown].filter((text) => text.startsWith('select "')).map(head));
    const unknown = [...executed]
      .filter((text) => !OF_SESSION.test(text.trim()))
      .map(formatSql)
      .filter((text) => !shown.has(text) && !heads.has(head(text)));
    expect(unknown).toEqual([]);
  });
});

describe("statements written by hand", () => {
  it("are taken by Postgres, and return the columns that they declare", async () => {
    await loadAll();
    const relay = await databaseOf("relay");
    // Both have a table named `invoice`.
    const sandbox = await databaseOf("collection-service");
    expect(statements.length).toBeGreaterThan(100);
    const wrong: string[] = [];
    for (const statement of statements) {
      const { returns } = statement;
      const declared =
        returns &&
        JSON.stringify(Object.entries(returns).map(([name, { oid }]) => ({ name, dataTypeID: oid })));
      const agrees = (found: string) => (declared === null ? found.startsWith("[") : found === declared);
      for (const text of statement.texts(relay.db)) {
        const found = await relay.prepare(text);
        if (!agrees(found) && !agrees(await sandbox.prepare(text)))
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
