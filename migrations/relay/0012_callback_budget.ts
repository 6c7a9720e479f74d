import { type Kysely, sql } from "kysely";

/**
 * What addresses and tokens have brought lately, all processes together: shares of an hour's budget, as they
 * stood at `counted_at`. Whoever brings much stands here, for an hour.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table callback_budget (
      counted_at timestamptz not null default clock_timestamp(),
      bytes float8 not null,
      callbacks float8 not null,
      ids float8 not null,
      key text not null,
      constraint callback_budget_pkey primary key (key)
    ) with (fillfactor = 50)`.execute(db);
}
