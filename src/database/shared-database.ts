import { type Kysely, sql } from "kysely";
import { RelayError } from "../kit/errors.ts";
import { type KnownMigrations, type MigrationSet, SCHEMAS, schemaState } from "./migrate.ts";
import { returned, type Slots, Statement } from "./statement.ts";

const NAMED = 3;

const foreignTables = new Statement(
  { name: returned.text() },
  ({ value }: Slots<readonly string[]>) => sql`
    select namespace.nspname || '.' || class.relname as name
    from pg_class as class join pg_namespace as namespace on namespace.oid = class.relnamespace
    where class.relkind in ('r', 'p', 'f', 'm', 'v') and not class.relispartition
      and class.relname not in ('kysely_migration', 'kysely_migration_lock')
      and namespace.nspname <> all (
        array['information_schema', 'pg_catalog'] || ${value((names) => names)}::text[])
      and not exists (
        select from pg_depend where classid = 'pg_class'::regclass and objid = class.oid and deptype = 'e')
    order by 1`,
);

/**
 * Keeps the relay out of a database that serves something else: nobody wants its tables there because a shell
 * happened to name it. Where the relay's own migrations ran before, or there is nothing, all is well.
 * @throws RelayError that names some of the tables.
 */
export async function refuseSharedDatabase<Schema>(
  db: Kysely<Schema>,
  set: MigrationSet,
  migrations?: KnownMigrations,
): Promise<void> {
  const state = await schemaState(db, set, migrations);
  if (state.state !== "behind" || state.ran > 0) return;
  const others = await foreignTables.execute(
    db,
    Object.values(SCHEMAS).filter((name) => name !== "public"),
  );
  if (others.length === 0) return;
  const names = others.slice(0, NAMED).map(({ name }) => name);
  const more = others.length > NAMED ? ` and ${others.length - NAMED} more` : "";
  throw new RelayError(
    `The database in DATABASE_URL holds tables that are not the relay's: ${names.join(", ")}${more}. ` +
      "Name a database of its own; or, if it is to live among them, run: invoice-relay migrate --into-shared",
  );
}
