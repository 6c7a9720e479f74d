import { type Kysely, sql } from "kysely";

/**
 * The log of callbacks. Column order: the fixed-width ones first, so that no row pays for padding.
 * `received_at` is the time inside the UUIDv7 `id`, so a callback is found in its partition by its id alone.
 * `headers` is json, not jsonb: it is kept, not searched, and jsonb refuses the NUL escapes that senders
 * send. `erased_digest`: SHA-256 in hex of the body that stood there before it was erased. What a later
 * reading found in a callback stands in `callback_reading`, because the log itself is insert-only.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table callback (
      id uuid not null,
      received_at timestamptz not null,
      erased_at timestamptz,
      source text not null,
      method text not null,
      path text not null,
      query text not null,
      reference text,
      remote_address text,
      found_by text,
      verdict text,
      cut json,
      invoice_ids uuid[] not null,
      headers json not null,
      body bytea not null,
      erased_digest text,
      constraint callback_pkey primary key (received_at, id),
      constraint callback_verdict_check check (verdict in ('unreadable', 'ping', 'refused'))
    ) partition by range (received_at)`.execute(db);

  // Nearly every callback names one invoice: a plain index on the first id serves those, and the costly
  // inverted index holds only the few callbacks that name several.
  await sql`create index callback_first_invoice on callback ((invoice_ids[1]))`.execute(db);
  await sql`create index callback_invoices
    on callback using gin (invoice_ids) where cardinality(invoice_ids) > 1`.execute(db);
  // A callback that asks nothing brings the next sweep forward, or is what an operator looks for.
  await sql`create index callback_verdict
    on callback (verdict, received_at, id) where verdict is not null`.execute(db);
  await sql`create table callback_default partition of callback default`.execute(db);

  await sql`
    create function callback_is_insert_only() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and new.erased_at is not null
        and (new.id, new.received_at, new.source, new.invoice_ids) is not distinct from
            (old.id, old.received_at, old.source, old.invoice_ids) then
        return new;
      end if;
      if tg_op = 'DELETE' and current_setting('invoice_relay.moves_partition', true) = 'on' then
        return old;
      end if;
      raise exception 'callback is insert-only: % refused', tg_op using errcode = 'restrict_violation';
    end $$`.execute(db);
  await sql`
    create trigger callback_is_insert_only before update or delete on callback
    for each row execute function callback_is_insert_only()`.execute(db);

  await sql`
    create table callback_reading (
      callback_id uuid not null,
      replay_id uuid not null,
      received_at timestamptz not null,
      read_at timestamptz not null default clock_timestamp(),
      source text not null,
      found_by text not null,
      invoice_ids uuid[] not null,
      constraint callback_reading_pkey primary key (callback_id, replay_id)
    )`.execute(db);
  await sql`create index callback_reading_invoices on callback_reading using gin (invoice_ids)`.execute(db);
}
