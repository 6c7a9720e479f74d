import { type Kysely, sql } from "kysely";
import { returned, type Slots, Statement } from "./statement.ts";
import { TABLES } from "./tables.ts";

const reading = new Statement(
  { table: returned.text(), column: returned.text(), type: returned.text() },
  ({ value }: Slots<readonly string[]>) => sql`
    select relname::text as table, attname::text as column,
      format_type(atttypid, atttypmod) || case when attnotnull then ' not null' else '' end as type
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and relname = any(${value((tables) => tables)}::text[])`,
);

/**
 * Where a database with the same migrations differs from the tables that this program knows: an earlier
 * version of a migration may have run there. Extra columns do not count.
 * @returns a few words each, in the order of the tables; empty when all is there.
 */
export async function schemaDifferences<Schema>(db: Kysely<Schema>): Promise<string[]> {
  const rows = await reading.execute(db, Object.keys(TABLES));
  const found = new Map(rows.map(({ table, column, type }) => [`${table}.${column}`, type]));
  const tables = new Set(rows.map(({ table }) => table));
  return Object.entries(TABLES).flatMap(([table, columns]) =>
    tables.has(table)
      ? Object.entries(columns).flatMap(([column, { type }]) => difference(`${table}.${column}`, found, type))
      : [`${table} is missing`],
  );
}

function difference(column: string, found: ReadonlyMap<string, string>, wanted: string): string[] {
  const type = found.get(column);
  if (type === undefined) return [`${column} is missing`];
  return type === wanted ? [] : [`${column} is ${type}, not ${wanted}`];
}
