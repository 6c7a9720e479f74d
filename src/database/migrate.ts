import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Kysely } from "kysely";
import { type Migration, type MigrationProvider, Migrator } from "kysely/migration";
import { RelayError } from "../kit/errors.ts";
import { step } from "../kit/step.ts";
import { hasTable } from "./has-table.ts";

/** Each set is a folder under `migrations/` and a Postgres schema of its own. */
export type MigrationSet = "relay" | "collection-service";

export const SCHEMAS: Record<MigrationSet, string> = {
  relay: "public",
  "collection-service": "collection_service",
};

/** A migration with this ending makes the schema unusable for programs that do not know it. */
const BREAKING = ".breaking";

const folderOf = (set: MigrationSet) => resolve(import.meta.dirname, "../../migrations", set);

async function knownMigrations(set: MigrationSet): Promise<string[]> {
  const files = await readdir(folderOf(set));
  return files
    .filter((file) => /\.(ts|js)$/.test(file) && !file.endsWith(".d.ts"))
    .map((file) => file.replace(/\.(ts|js)$/, ""))
    .sort();
}

class FolderProvider implements MigrationProvider {
  readonly #set: MigrationSet;

  constructor(set: MigrationSet) {
    this.#set = set;
  }

  async getMigrations(): Promise<Record<string, Migration>> {
    const extension = import.meta.filename.endsWith(".ts") ? "ts" : "js";
    const migrations: Record<string, Migration> = {};
    for (const name of await knownMigrations(this.#set)) {
      migrations[name] = await import(pathToFileURL(join(folderOf(this.#set), `${name}.${extension}`)).href);
    }
    return migrations;
  }
}

/** Migrations by name, for a program that has no folder of them beside it. */
export type KnownMigrations = Readonly<Record<string, Migration>>;

export type SchemaState =
  | { state: "current" }
  /** Migrations that this program knows and the database lacks; `ran` counts those that it has. */
  | { state: "behind"; missing: string[]; ran: number }
  /** Migrations that a newer program ran; `breaking` are those this one cannot work with. */
  | { state: "ahead"; unknown: string[]; breaking: string[] };

async function appliedMigrations(db: Kysely<unknown>, set: MigrationSet): Promise<string[]> {
  if (!(await hasTable(db, `${SCHEMAS[set]}.kysely_migration`))) return [];
  const applied = await (db as Kysely<{ kysely_migration: { name: string } }>)
    .withSchema(SCHEMAS[set])
    .selectFrom("kysely_migration")
    .select("name")
    .orderBy("name")
    .execute();
  return applied.map(({ name }) => name);
}

/** Compares the database with the migrations that this program brings. Changes nothing. */
export async function schemaState<Schema>(
  db: Kysely<Schema>,
  set: MigrationSet,
  migrations?: KnownMigrations,
): Promise<SchemaState> {
  const known = migrations === undefined ? await knownMigrations(set) : Object.keys(migrations);
  const applied = await appliedMigrations(db as Kysely<unknown>, set);
  const missing = known.filter((name) => !applied.includes(name));
  if (missing.length > 0) return { state: "behind", missing, ran: known.length - missing.length };
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    return { state: "ahead", unknown, breaking: unknown.filter((name) => name.endsWith(BREAKING)) };
  return { state: "current" };
}

/**
 * Refuses a schema that this program cannot work with. Ahead without a breaking migration is fine, so that
 * a rolling deploy and a rollback work.
 * @throws RelayError that says which command to run.
 */
export async function requireSchema<Schema>(
  db: Kysely<Schema>,
  set: MigrationSet,
  migrations?: KnownMigrations,
): Promise<void> {
  const state = await schemaState(db, set, migrations);
  if (state.state === "behind") {
    throw new RelayError(
      `The database is behind this program by ${count(state.missing)} (${state.missing.join(", ")}). ` +
        "Run: invoice-relay migrate",
    );
  }
  if (state.state === "ahead" && state.breaking.length > 0) {
    throw new RelayError(
      `The database is ahead of this program by a breaking migration (${state.breaking.join(", ")}). ` +
        "Deploy the version of invoice-relay that brought it, then start again.",
    );
  }
}

const count = (names: string[]) => `${names.length} ${names.length === 1 ? "migration" : "migrations"}`;

/**
 * Runs the migrations that the database lacks, under the migrator's lock: several processes may call it at
 * once.
 * @returns the names of those that ran; none when the database is current, or ahead of this program.
 * @throws RelayError with the migration that failed; that migration left nothing behind.
 */
export async function migrateToLatest<Schema>(
  db: Kysely<Schema>,
  set: MigrationSet,
  migrations?: KnownMigrations,
): Promise<string[]> {
  if ((await schemaState(db, set, migrations)).state !== "behind") return [];
  const migrator = new Migrator({
    db: db as Kysely<unknown>,
    provider:
      migrations === undefined ? new FolderProvider(set) : { getMigrations: async () => ({ ...migrations }) },
    migrationTableSchema: SCHEMAS[set],
    allowUnorderedMigrations: true,
  });
  step("migrations to be run");
  const { error, results = [] } = await migrator.migrateToLatest();
  step("migrations run");
  if (error !== undefined) {
    const failed =
      results.find((result) => result.status === "Error")?.migrationName ?? "before the first one";
    throw new RelayError(
      `Migration ${failed} failed: ${error instanceof Error ? error.message : String(error)}. Nothing ` +
        "of it was kept.",
      { cause: error },
    );
  }
  return results.map((result) => result.migrationName);
}
