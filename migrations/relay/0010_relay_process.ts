import { type Kysely, sql } from "kysely";

/**
 * The processes of `serve` that work on this database: each says every half minute that it lives, and takes
 * its row away when it stops. A row that is silent tells of a process that died or hangs. What it serves, its
 * sources with their collections and its topics, is what its settings name.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table relay_process (
      id uuid not null,
      started_at timestamptz not null default clock_timestamp(),
      seen_at timestamptz not null default clock_timestamp(),
      pid integer not null,
      http boolean not null,
      workers boolean not null,
      host text not null,
      version text not null,
      serves jsonb not null default '{}',
      constraint relay_process_pkey primary key (id)
    ) with (fillfactor = 50)`.execute(db);
}
