import { type Kysely, sql } from "kysely";

/**
 * Whether a source may be asked and a topic published to, shared by all processes: one machine for both,
 * whose states docs/states.md draws. `opens_at`: nothing goes out before that moment (back-off, open circuit
 * breaker, Retry-After); `retry_at`: the one that the upstream named itself, which no late answer shortens.
 * `faults`: failures in a row. `paused_by` names who paused it, `pause_reason` why a person did,
 * `paused_until` when that ends by itself, `probe_at` when a refused one is tried next. `version` moves with
 * every transition, so that none is decided on old facts. Of a source: `scout_at`, when the list may be read
 * next for ids of a flood; `list_at`, when any list may be read next under a rate limit; `allowance`, what is
 * left of the rate limit at `allowance_at`; unknown ids have an allowance of their own; `unknown_share` is
 * how many of them proved unknown lately, from 0 to 1.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const columns = sql`
      opens_at timestamptz not null default '-infinity',
      retry_at timestamptz not null default '-infinity',
      paused_at timestamptz,
      paused_until timestamptz,
      probe_at timestamptz,
      version integer not null default 0,
      faults integer not null default 0,
      paused_by text,
      pause_reason text,
      last_error text`;
  await sql`
    create table source (
      name text not null,
      first_served_at timestamptz,
      scout_at timestamptz not null default '-infinity',
      list_at timestamptz not null default '-infinity',
      allowance_at timestamptz not null default clock_timestamp(),
      unknown_allowance_at timestamptz not null default clock_timestamp(),
      allowance double precision not null default 0,
      unknown_allowance double precision not null default 0,
      unknown_share double precision not null default 0,
      ${columns},
      constraint source_pkey primary key (name),
      constraint source_paused_by_check check (paused_by in ('operator', 'refused')),
      constraint source_pause_check check ((paused_by is null) = (paused_at is null))
    ) with (fillfactor = 50)`.execute(db);
  await sql`
    create table topic (
      arn text not null,
      ${columns},
      constraint topic_pkey primary key (arn),
      constraint topic_paused_by_check check (paused_by in ('operator', 'refused')),
      constraint topic_pause_check check ((paused_by is null) = (paused_at is null))
    ) with (fillfactor = 50)`.execute(db);
}
