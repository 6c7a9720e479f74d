import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Kysely, type QueryExecutorProvider, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { RelayError, type Remedy } from "../errors/index.ts";
import { failpoint } from "../process/index.ts";
import { returned, type Slots, Statement } from "./statement.ts";

/** Each set is a folder under `migrations/` and a Postgres schema of its own. */
export type MigrationSet = "relay" | "collection-service";

export const SCHEMAS: Record<MigrationSet, string> = {
  relay: "public",
  "collection-service": "collection_service",
};

const folderOf = (set: MigrationSet) => resolve(import.meta.dirname, "../../../migrations", set);

async function knownMigrations(set: MigrationSet): Promise<string[]> {
  const files = await readdir(folderOf(set));
  return files
    .filter((file) => /\.(ts|js)$/.test(file) && !file.endsWith(".d.ts"))
    .map((file) => file.replace(/\.(ts|js)$/, ""))
    .sort();
}

async function migrationsOf(set: MigrationSet): Promise<Record<string, Migration>> {
  const extension = import.meta.filename.endsWith(".ts") ? "ts" : "js";
  const migrations: Record<string, Migration> = {};
  for (const name of await knownMigrations(set))
    migrations[name] = await import(pathToFileURL(join(folderOf(set), `${name}.${extension}`)).href);
  return migrations;
}

/** Migrations by name, for a program that has no folder of them beside it. */
type KnownMigrations = Readonly<Record<string, Migration>>;

type SchemaState =
  | { state: "current" }
  /** Migrations that this program knows and the database lacks. */
  | { state: "behind"; missing: string[] }
  /** Migrations that a newer program ran; this one works with them. */
  | { state: "ahead"; unknown: string[] };

/** Runs the migrations that are missing. */
export const MIGRATE: Remedy = { operation: "migrate", args: {} };

const tableExists = new Statement(
  { exists: returned.boolean },
  ({ value }: Slots<string>) => sql`select to_regclass(${value((name) => name)}) is not null as exists`,
);

/** Names the missing right, if Postgres does. */
const hintOf = (error: unknown) =>
  error instanceof Error && "hint" in error && typeof error.hint === "string" ? `${error.hint} ` : "";

/** @param name with its schema, or without if it is on the search path. */
export async function hasTable(db: QueryExecutorProvider, name: string): Promise<boolean> {
  const [row] = await tableExists.execute(db, name);
  return row?.exists === true;
}

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
  const unknown = applied.filter((name) => !known.includes(name));
  if (missing.length > 0) return { state: "behind", missing };
  return unknown.length > 0 ? { state: "ahead", unknown } : { state: "current" };
}

/**
 * Refuses a schema that this program cannot work with. Ahead is fine, so that a rolling deploy and a rollback
 * work.
 * @throws RelayError that says which command to run.
 */
export async function requireSchema<Schema>(
  db: Kysely<Schema>,
  set: MigrationSet,
  migrations?: KnownMigrations,
): Promise<void> {
  const state = await schemaState(db, set, migrations);
  if (state.state === "behind") {
    const { length } = state.missing;
    throw new RelayError(
      `The database is behind this program by ${length} ${length === 1 ? "migration" : "migrations"} ` +
        `(${state.missing.join(", ")}).`,
      { remedy: MIGRATE },
    );
  }
}

/**
 * Runs the migrations that the database lacks, under the migrator's lock: several processes may call it at
 * once.
 * @returns the names of those that ran; none when the database is current, or ahead of this program.
 * @throws RelayError with the migration that failed, which left nothing behind.
 */
export async function migrateToLatest<Schema>(
  db: Kysely<Schema>,
  set: MigrationSet,
  migrations?: KnownMigrations,
): Promise<string[]> {
  const schema = await schemaState(db, set, migrations);
  if (schema.state !== "behind") return [];
  const migrator = new Migrator({
    db: db as Kysely<unknown>,
    provider: {
      getMigrations: async () => (migrations === undefined ? migrationsOf(set) : { ...migrations }),
    },
    migrationTableSchema: SCHEMAS[set],
    allowUnorderedMigrations: true,
  });
  failpoint("migrations to be run");
  const { error, results = [] } = await migrator.migrateToLatest();
  failpoint("migrations run");
  if (error !== undefined) {
    const failed = results.find((result) => result.status === "Error")?.migrationName;
    const which = failed === undefined ? "The database cannot be migrated" : `Migration ${failed} failed`;
    const why = error instanceof Error ? error.message : String(error);
    throw new RelayError(`${which}: ${why}. ${hintOf(error)}Nothing of it was kept.`, { cause: error });
  }
  return results.map((result) => result.migrationName);
}
