import { type Kysely, sql } from "kysely";

/** What became of a callback. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `failed_check`: the check of its source that a refused callback failed. Erasing leaves it as it is.
  await sql`alter table callback add column failed_check text`.execute(db);
}
