import { type RawBuilder, sql } from "kysely";
import { type ResultColumn, returned } from "./statement.ts";

/** Postgres casts it to the type that the compiler is told; a test holds that there is no other way to name one. */
export const typed = <Value>(
  column: ResultColumn<Value>,
  expression: RawBuilder<unknown>,
): RawBuilder<Value> => sql<Value>`(${expression})::${sql.raw(column.type)}`;

/** Postgres' clock, which goes on within a transaction. */
export const clockTime = typed(returned.time, sql`clock_timestamp()`);

/** A length of time as Postgres takes it. */
export const interval = (ms: number): RawBuilder<unknown> => sql`${`${ms} ms`}::interval`;

/**
 * A condition: the key is among those of a query that refers to nothing in the outer row. Inside a `case`
 * Postgres hashes the keys; as a join it would compare each row of a batch with all others, since it expects
 * one row on each side.
 */
export const isIn = (key: RawBuilder<unknown>, keys: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`case when (${key}) in (${keys}) then true else false end`;

/**
 * An array of the sources that a table has rows of, found by one index step for each. With it a query that
 * knows an invoice's id, but not its source, can use an index that begins with the source.
 */
export const sourcesIn = (
  table: "invoice" | "invoice_snapshot" | "event" | "publication",
): RawBuilder<string[]> => {
  const from = sql.table(table);
  return sql`array(
    with recursive known (source) as (
      (select source from ${from} order by source limit 1)
      union all
      select (select further.source from ${from} as further where further.source > known.source
        order by further.source limit 1)
      from known where known.source is not null)
    select source from known where source is not null)`;
};
