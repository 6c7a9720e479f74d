import { type Kysely, sql } from "kysely";

/**
 * Why a process cannot record callbacks, for `status`. It stands in a row that is there already and has room
 * to be changed: on a full disk no table takes another row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table relay_process add column recording_problem jsonb`.execute(db);
}
