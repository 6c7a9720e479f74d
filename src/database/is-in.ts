import { type RawBuilder, sql } from "kysely";

/**
 * A condition: the key is among those of a query that refers to nothing in the outer row. Inside a `case`
 * Postgres hashes the keys; as a join it would compare each row of a batch with all others, since it expects
 * one row on each side.
 */
export const isIn = (key: RawBuilder<unknown>, keys: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`case when (${key}) in (${keys}) then true else false end`;
