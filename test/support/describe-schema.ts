import { type Kysely, sql } from "kysely";

/**
 * A schema in words, a line a fact, the same on every version of PostgreSQL from 15 to 18: tables with their
 * columns, constraints, indexes, triggers and storage settings. The partitions of a month are left out.
 */
export async function describeSchema<Schema>(db: Kysely<Schema>, schema: string): Promise<string> {
  const { rows } = await sql<{ line: string }>`
    with tables as (
      select c.oid, c.relname, c.reloptions from pg_class c
      where c.relnamespace = ${schema}::regnamespace and c.relkind in ('r', 'p')
        and c.relname !~ '^callback_\\d{4}_\\d{2}$' and c.relname !~ '^kysely_'
    ),
    lines (table_name, kind, place, line) as (
      select relname, 0, 0, relname || coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '')
        from tables
      union all
      select relname, 1, attnum, '  ' || attname || ' ' || format_type(atttypid, atttypmod)
          || case when attnotnull then ' not null' else '' end
          || coalesce(' default ' || pg_get_expr(adbin, adrelid), '')
          || case attidentity when 'a' then ' generated always as identity' else '' end
        from tables join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
        left join pg_attrdef on adrelid = attrelid and adnum = attnum
      union all
      select relname, 2, 0, '  constraint ' || conname || ' ' || pg_get_constraintdef(pg_constraint.oid)
        from tables join pg_constraint on conrelid = tables.oid and contype <> 'n'
      union all
      select relname, 3, 0, '  index ' || regexp_replace(pg_get_indexdef(indexrelid), '^CREATE ', '')
        from tables join pg_index on indrelid = tables.oid
        where not exists (select from pg_constraint where conindid = indexrelid)
      union all
      select relname, 4, 0,
          '  trigger ' || regexp_replace(pg_get_triggerdef(pg_trigger.oid), '^CREATE TRIGGER ', '')
        from tables join pg_trigger on tgrelid = tables.oid and not tgisinternal
    )
    select line from lines order by table_name collate "C", kind, place, line collate "C"`.execute(db);
  return `${rows.map((row) => row.line).join("\n")}\n`;
}
