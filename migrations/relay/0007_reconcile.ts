import { type Kysely, sql } from "kysely";

/**
 * Readings of the provider's list, and what came of them. Both tables are work under a lease as well: who holds
 * the lease reads, and a dead reader's work is taken up where it stood (`unread_from`).
 * `called` counts the missing ones that a callback had asked about already: the others no callback ever named.
 * A certificate without a `day` was asked for by a person; those with one are the daily run's.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sweep (
      id uuid not null,
      collection_id uuid not null,
      lease_token uuid,
      due_at timestamptz not null default clock_timestamp(),
      claimed_until timestamptz,
      started_at timestamptz,
      finished_at timestamptz,
      window_from timestamptz,
      window_to timestamptz,
      unread_from date,
      unread_to date,
      listed integer not null default 0,
      missing integer not null default 0,
      opened integer not null default 0,
      called integer not null default 0,
      faults integer not null default 0,
      publish boolean not null default false,
      source text not null,
      kind text not null,
      state text not null default 'due',
      last_error text,
      constraint sweep_pkey primary key (id),
      constraint sweep_kind_check check (kind in ('automatic', 'back_fill')),
      constraint sweep_state_check check (state in ('due', 'claimed', 'done')),
      constraint sweep_lease_check check ((state = 'claimed') = (lease_token is not null and claimed_until is not null))
    )`.execute(db);
  await sql`
    create unique index sweep_one_open on sweep (source, collection_id)
    where kind = 'automatic' and state <> 'done'`.execute(db);
  await sql`
    create unique index sweep_one_back_fill on sweep (source, collection_id, window_from, window_to, publish)
    where kind = 'back_fill' and state <> 'done'`.execute(db);
  await sql`create index sweep_latest on sweep (source, collection_id, started_at)`.execute(db);

  await sql`
    create table certificate (
      id uuid not null,
      lease_token uuid,
      created_at timestamptz not null default clock_timestamp(),
      due_at timestamptz not null default clock_timestamp(),
      claimed_until timestamptz,
      finished_at timestamptz,
      window_from timestamptz not null,
      window_to timestamptz not null,
      day date,
      paid integer,
      stored integer,
      published integer,
      gaps integer,
      differences integer,
      faults integer not null default 0,
      paid_amount numeric,
      stored_amount numeric,
      published_amount numeric,
      source text not null,
      state text not null default 'due',
      last_error text,
      collection_ids uuid[] not null,
      document json,
      constraint certificate_pkey primary key (id),
      constraint certificate_state_check check (state in ('due', 'claimed', 'done')),
      constraint certificate_lease_check check ((state = 'claimed') = (lease_token is not null and claimed_until is not null)),
      constraint certificate_done_check check ((state = 'done') = (document is not null and gaps is not null))
    )`.execute(db);
  await sql`create unique index certificate_daily on certificate (source, day) where day is not null`.execute(
    db,
  );
  await sql`create index certificate_created_at on certificate (created_at)`.execute(db);
}
