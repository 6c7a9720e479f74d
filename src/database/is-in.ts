import { type RawBuilder, sql } from "kysely";

/**
 * A condition: a key is among those that a query yields, which takes nothing from the row. By a hash: as a
 * join, each row of a batch would be compared with all others, since Postgres expects one of each.
 */
export const isIn = (key: RawBuilder<unknown>, keys: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`case when (${key}) in (${keys}) then true else false end`;
