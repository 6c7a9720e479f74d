import { type Kysely, sql } from "kysely";

/** What needs a person: open until `cleared_at`; raised again while open, it only counts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table alarm (
      id bigint generated always as identity,
      raised_at timestamptz not null default clock_timestamp(),
      last_raised_at timestamptz not null default clock_timestamp(),
      cleared_at timestamptz,
      times integer not null default 1,
      name text not null,
      source text not null,
      subject text not null,
      detail text not null,
      constraint alarm_pkey primary key (id)
    )`.execute(db);
  await sql`create unique index alarm_open on alarm (name, source, subject) where cleared_at is null`.execute(
    db,
  );
}
