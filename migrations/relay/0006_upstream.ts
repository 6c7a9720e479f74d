import { type Kysely, sql } from "kysely";

/**
 * Whether a source may be asked and a topic published to, shared by all processes: one machine for both,
 * whose states docs/states.md draws. `opens_at`: nothing goes out before that moment (back-off, open circuit
 * breaker, Retry-After); `retry_at`: the one that the upstream named itself, which no late answer shortens.
 * `faults`: failures in a row, but for the 429s that named no moment: those are `slow_downs`. `paused_by`
 * names who paused it, `pause_reason` why a person did, `probe_at` when a refused one is tried next. `version` moves
 * with every transition, so that none is decided on old facts.
 *
 * Of a source: `list_at`, when any list may be read next under a rate limit; `allowance`, what is left of the
 * rate limit at `allowance_at`; `unknown_answers`, the last hundred answers about unknown ids, the newest last, 1
 * for "not found"; `not_found_at`, when the last of those came; `next_unknown_at`, when the next unknown id may be
 * asked about in a flood of them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const times = sql`
      opens_at timestamptz not null default '-infinity',
      retry_at timestamptz not null default '-infinity',
      paused_at timestamptz,
      probe_at timestamptz`;
  const others = sql`
      version integer not null default 0,
      faults integer not null default 0,
      slow_downs integer not null default 0,
      paused_by text,
      pause_reason text,
      last_error text`;
  await sql`
    create table source (
      name text not null,
      first_served_at timestamptz,
      list_at timestamptz not null default '-infinity',
      allowance_at timestamptz not null default clock_timestamp(),
      not_found_at timestamptz not null default '-infinity',
      next_unknown_at timestamptz not null default clock_timestamp(),
      ${times},
      allowance double precision not null default 0,
      ${others},
      unknown_answers bit(100) not null default 0::bit(100),
      constraint source_pkey primary key (name),
      constraint source_paused_by_check check (paused_by in ('operator', 'refused')),
      constraint source_pause_check check ((paused_by is null) = (paused_at is null))
    ) with (fillfactor = 50);
    comment on table source is
      'The provider''s accounts: whether they are asked, since when, and what was refused.';

    create table topic (
      arn text not null,
      ${times},
      ${others},
      constraint topic_pkey primary key (arn),
      constraint topic_paused_by_check check (paused_by in ('operator', 'refused')),
      constraint topic_pause_check check ((paused_by is null) = (paused_at is null))
    ) with (fillfactor = 50);
    comment on table topic is
      'The SNS topics: whether they are sent to, and what was refused.'`.execute(db);
}
