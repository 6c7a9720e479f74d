import { type Kysely, sql } from "kysely";

/**
 * The log of callbacks, and the function that makes its partitions.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Fixed-width columns first, so that no row pays for padding. `received_at` is the time inside the UUIDv7
  // `id`, so a callback is found in its partition by its id alone. `headers` is json, not jsonb: it is kept,
  // not searched, and jsonb refuses the NUL escapes that senders send. `also_named`: the UUIDs that
  // `invoice_ids` does not hold, those beyond its limit and those that stand where none is looked for; null
  // for nearly all. `failed_check`: the check of its source that a refused callback failed. `erased_digest`:
  // SHA-256 in hex of the body that stood there before it was erased.
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
      failed_check text,
      invoice_ids uuid[] not null,
      also_named uuid[],
      headers json not null,
      body bytea not null,
      erased_digest text,
      constraint callback_pkey primary key (received_at, id),
      constraint callback_verdict_check check (verdict in ('unreadable', 'ping', 'refused'))
    ) partition by range (received_at);
    comment on table callback is
      'The log of callbacks as they came; insert-only but for erasing; a partition for each month.';

    -- Nearly every callback names one invoice: a plain index on the first id serves those, and the costly
    -- inverted index holds only the few callbacks that name several.
    create index callback_first_invoice on callback ((invoice_ids[1]));
    create index callback_invoices on callback using gin (invoice_ids) where cardinality(invoice_ids) > 1;
    create index callback_also_named on callback using gin (also_named) where also_named is not null;
    create index callback_reference on callback (reference) where reference is not null;
    -- A callback that asks nothing is what an operator looks for.
    create index callback_verdict on callback (verdict, received_at, id) where verdict is not null;

    create table callback_default partition of callback default;
    comment on table callback_default is
      'Callbacks for which no partition of their month stood ready.'`.execute(db);

  // Waits two seconds at most for a lock, because callbacks wait behind it, and then fails with 55P03.
  await sql`
    create function make_callback_partition(month date) returns boolean
    language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
    declare
      partition constant text := 'callback_' || to_char(month, 'YYYY_MM');
      first constant timestamptz := date_trunc('month', month::timestamp) at time zone 'UTC';
      past constant timestamptz :=
        (date_trunc('month', month::timestamp) + interval '1 month') at time zone 'UTC';
    begin
      if to_regclass('public.' || partition) is not null then return false; end if;
      perform pg_advisory_xact_lock(hashtext('invoice-relay partitions'));
      -- Not to_regclass again, which may answer from what it remembers of before the wait.
      if exists (select from pg_class where relname = partition
          and relnamespace = 'public'::regnamespace) then
        return false;
      end if;
      execute format(
        'create table public.%I (like public.callback including defaults including constraints)', partition);
      lock table public.callback_default in exclusive mode;
      -- What the default partition took in its stead moves over.
      execute format(
        'with moved as (
           delete from public.callback_default where received_at >= $1 and received_at < $2 returning *)
         insert into public.%I select * from moved', partition) using first, past;
      execute format('alter table public.callback attach partition public.%I for values from (%L) to (%L)',
        partition, first, past);
      return true;
    end $$`.execute(db);
}
