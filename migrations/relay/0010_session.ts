import { type Kysely, sql } from "kysely";

/** Who signed out of the console. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table ended_session (
      ends_at timestamptz not null,
      id text not null,
      constraint ended_session_pkey primary key (id)
    );
    comment on table ended_session is
      'Sessions of the console that were signed out of and would not have ended yet.'`.execute(db);
}
