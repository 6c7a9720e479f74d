import { type RawBuilder, sql } from "kysely";
import { type ResultColumn, returned } from "./statement.ts";

/**
 * A hand-written expression within a statement of the builder. Postgres casts it to the type that the
 * compiler is told, so that the two cannot differ; a test holds that there is no other way to name one.
 */
export const typed = <Value>(
  column: ResultColumn<Value>,
  expression: RawBuilder<unknown>,
): RawBuilder<Value> => sql<Value>`(${expression})::${sql.raw(column.type)}`;

/** Postgres' clock, which goes on within a transaction. */
export const clockTime = typed(returned.time, sql`clock_timestamp()`);
