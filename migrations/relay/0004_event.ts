import { type Kysely, sql } from "kysely";

/**
 * The outbox, which is the permanent log of events too, and every acceptance by SNS.
 * An acceptance is kept whatever becomes of the event's row, so it does not reference it; it is
 * looked up by its event, so that the primary key is its one index.
 * `payload` is text, exactly as published. `(invoice_id, type)` is what makes an event one of a kind.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table event (
      id uuid not null,
      invoice_id uuid not null,
      lease_token uuid,
      created_at timestamptz not null default clock_timestamp(),
      due_at timestamptz not null default clock_timestamp(),
      claimed_until timestamptz,
      published_at timestamptz,
      attempt integer not null default 0,
      type text not null,
      source text not null,
      invoice_type text not null,
      collection_name text,
      state text not null default 'due',
      last_error text,
      payload text not null,
      constraint event_pkey primary key (id),
      constraint event_one_of_a_type unique (invoice_id, type),
      constraint event_state_check check (state in ('due', 'claimed', 'held', 'published', 'dead')),
      constraint event_lease_check check ((state = 'claimed') = (lease_token is not null and claimed_until is not null))
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`.execute(
    db,
  );
  await sql`create index event_due on event (source, due_at) where state = 'due'`.execute(db);
  await sql`create index event_claimed on event (claimed_until) where state = 'claimed'`.execute(db);
  await sql`create index event_aside on event (state, created_at) where state in ('held', 'dead')`.execute(
    db,
  );
  await sql`create index event_created_at on event (created_at)`.execute(db);
  await sql`
    create table publication (
      id bigint generated always as identity,
      event_id uuid not null,
      published_at timestamptz not null default clock_timestamp(),
      replay_id uuid,
      topic_arn text not null,
      message_id text not null,
      constraint publication_pkey primary key (event_id, id)
    )`.execute(db);
}
