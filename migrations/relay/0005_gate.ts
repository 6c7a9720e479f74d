import { type Kysely, sql } from "kysely";

/**
 * Whether a source may be asked and a topic published to, shared by all processes.
 * A gate is shut until `opens_at` (back-off, breaker, Retry-After), or while `paused_by` names who paused it.
 * `scout_at`: when the list may be read next for ids of a flooded unknown lane.
 * `allowance` is what is left of the rate limit at `allowance_at`; the unknown lane has its own.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table source (
      name text not null,
      first_served_at timestamptz,
      opens_at timestamptz not null default '-infinity',
      paused_at timestamptz,
      probe_at timestamptz,
      scout_at timestamptz not null default '-infinity',
      allowance_at timestamptz not null default clock_timestamp(),
      unknown_allowance_at timestamptz not null default clock_timestamp(),
      allowance double precision not null default 0,
      unknown_allowance double precision not null default 0,
      unknown_share double precision not null default 0,
      faults integer not null default 0,
      paused_by text,
      last_error text,
      constraint source_pkey primary key (name),
      constraint source_paused_by_check check (paused_by in ('operator', 'key_refused')),
      constraint source_pause_check check ((paused_by is null) = (paused_at is null))
    ) with (fillfactor = 50)`.execute(db);
  await sql`
    create table topic (
      arn text not null,
      opens_at timestamptz not null default '-infinity',
      paused_at timestamptz,
      faults integer not null default 0,
      paused_by text,
      last_error text,
      constraint topic_pkey primary key (arn),
      constraint topic_paused_by_check check (paused_by in ('operator', 'refused')),
      constraint topic_pause_check check ((paused_by is null) = (paused_at is null))
    ) with (fillfactor = 50)`.execute(db);
}
