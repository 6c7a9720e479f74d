import { type Kysely, sql } from "kysely";

/** Events, what is still to be sent of them, and what SNS accepted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The id of an event follows from its invoice and type, so its key admits one of a kind (G4), and the log is
  // looked up by invoice without another index. `src/events/invoice-paid.ts` computes the same.
  await sql`
    create extension if not exists "uuid-ossp";
    create function event_id(invoice_id uuid, type text) returns uuid
    language sql immutable strict parallel safe
    return uuid_generate_v5('6f0f6a4e-2f5b-5d0e-9c53-0d7c2f6f1c11', invoice_id::text || '/' || type)`.execute(
    db,
  );

  // `payload` is text, exactly as published. `answer_digest`: the digest of the provider's answer that the event was made from, which is
  // the invoice's newest document or one of its snapshots; so a certificate can tell what the provider
  // corrected afterwards from what was edited here. `erased_digest`: SHA-256 of the payload before erasing.
  await sql`
    create table event (
      id uuid not null,
      invoice_id uuid not null,
      created_at timestamptz not null default clock_timestamp(),
      erased_at timestamptz,
      source text not null,
      type text not null,
      invoice_type text not null,
      collection_name text,
      payload text not null,
      answer_digest text,
      erased_digest text,
      constraint event_pkey primary key (source, id)
    );
    comment on table event is 'The log of events exactly as published; insert-only but for erasing.';
    create index event_created_at on event (created_at)`.execute(db);

  // A narrow row for each event, deleted in the transaction that writes its acceptance, so that no payload is
  // written twice and what churns stays small. Which topic it goes to follows from source and `invoice_type`,
  // by today's settings. `callback_id`, `requested_at` and `traceparent` say what led to it, for logs,
  // metrics and traces. `held`: an event of a Test invoice without a topic. A replay has rows of its own, with
  // its id and the topic that it goes to; the event's own row has the nil UUID, since a key has no null.
  await sql`
    create table outbox (
      event_id uuid not null,
      replay_id uuid not null default '00000000-0000-0000-0000-000000000000',
      lease_token uuid,
      callback_id uuid,
      requested_at timestamptz,
      due_at timestamptz not null default clock_timestamp(),
      claimed_until timestamptz,
      dismissed_at timestamptz,
      attempt integer not null default 0,
      source text not null,
      invoice_type text not null,
      state text not null default 'due',
      topic_arn text,
      last_error text,
      traceparent text,
      constraint outbox_pkey primary key (source, event_id, replay_id),
      constraint outbox_state_check check (state in ('due', 'claimed', 'held', 'dead')),
      constraint outbox_traceparent_check check (traceparent ~ '^00-[0-9a-f-]{52}$'),
      constraint outbox_replay_check check ((topic_arn is null) = (replay_id = '00000000-0000-0000-0000-000000000000')),
      constraint outbox_lease_check
        check ((state = 'claimed') = (lease_token is not null and claimed_until is not null))
    ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
    comment on table outbox is
      'Events that are still to be sent; a row is deleted when SNS has accepted it.';
    create index outbox_due on outbox (source, invoice_type, due_at)
      where state = 'due' and replay_id = '00000000-0000-0000-0000-000000000000';
    create index outbox_replayed on outbox (replay_id, due_at) where replay_id <> '00000000-0000-0000-0000-000000000000';
    create index outbox_claimed on outbox (claimed_until) where state = 'claimed';
    create index outbox_dead on outbox (due_at) where state = 'dead';
    create index outbox_held on outbox (source, invoice_type) where state = 'held'`.execute(db);

  // Whatever becomes of the event. `digest` is the SHA-256 of the message that SNS accepted. It is looked up
  // by its event, and certificates read the acceptances of a period.
  await sql`
    create table publication (
      id bigint generated always as identity,
      event_id uuid not null,
      published_at timestamptz not null default clock_timestamp(),
      replay_id uuid,
      source text not null,
      topic_arn text not null,
      message_id text not null,
      digest bytea,
      constraint publication_pkey primary key (source, event_id, id)
    );
    comment on table publication is 'Every acceptance by SNS, those of replays included.';
    -- Rows come in the order of their time: so small an index costs the path nothing.
    create index publication_published_at
      on publication using brin (published_at) with (autosummarize = on);
    create index publication_replay on publication (replay_id, source, event_id)
      where replay_id is not null`.execute(db);
}
