import { type Kysely, sql } from "kysely";

/** What is run again from the log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Whoever holds the lease goes on at `position`. `matching` is how many there were when it was asked for;
  // `queued` of them were put into the outbox; what became of `handled` of them is known.
  await sql`
    create table replay (
      id uuid not null,
      lease_token uuid,
      requested_at timestamptz not null default clock_timestamp(),
      started_at timestamptz,
      finished_at timestamptz,
      claimed_until timestamptz,
      rate integer not null,
      matching integer not null,
      queued integer not null default 0,
      handled integer not null default 0,
      opened integer not null default 0,
      sent integer not null default 0,
      refused integer not null default 0,
      kind text not null,
      state text not null default 'running',
      requested_by text not null,
      waits_for text,
      last_error text,
      filters json not null,
      target json not null,
      position json,
      constraint replay_pkey primary key (id),
      constraint replay_kind_check check (kind in ('confirmations', 'callbacks', 'events')),
      constraint replay_state_check check (state in ('running', 'done', 'failed', 'cancelled')),
      constraint replay_rate_check check (rate > 0),
      constraint replay_finish_check check ((state = 'running') = (finished_at is null)),
      constraint replay_lease_check check ((lease_token is null) = (claimed_until is null))
    ) with (fillfactor = 50);
    comment on table replay is 'Replays, their progress and how they ended.';
    create index replay_running on replay (requested_at) where state = 'running';

    create table replay_refusal (
      replay_id uuid not null,
      event_id uuid not null,
      refused_at timestamptz not null default clock_timestamp(),
      source text not null,
      error text not null,
      constraint replay_refusal_pkey primary key (replay_id, source, event_id)
    );
    comment on table replay_refusal is 'Events that SNS refused in a replay, and why.'`.execute(db);
}
