import { type Kysely, sql } from "kysely";

/**
 * What erasing finds an invoice by, and the mark that keeps it erased. `also_named`: the UUIDs of a callback
 * that `invoice_ids` does not hold: those beyond its limit, and those that stand where none is looked for;
 * null for nearly all. `erased_invoice`: whatever comes in about one of these is recorded without its
 * contents. What was being recorded as the mark was made is looked for once more: `checked_at` says when.
 * `ended_session`: sessions of the console that somebody signed out of, until they would have ended anyway.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table callback add column also_named uuid[]`.execute(db);
  await sql`create index callback_also_named
    on callback using gin (also_named) where also_named is not null`.execute(db);
  await sql`create index callback_reference on callback (reference) where reference is not null`.execute(db);
  await sql`
    create or replace function callback_is_insert_only() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and old.erased_at is null and new.erased_at is not null
        and new.erased_digest = encode(sha256(old.body), 'hex')
        and (new.body, new.headers::text, new.path, new.query) = ('', '[]', '', '')
        and (new.reference, new.remote_address) is not distinct from (null, null)
        and (new.id, new.received_at, new.source, new.invoice_ids, new.also_named, new.method, new.found_by,
            new.verdict, new.cut::text) is not distinct from
            (old.id, old.received_at, old.source, old.invoice_ids, old.also_named, old.method, old.found_by,
            old.verdict, old.cut::text) then
        return new;
      end if;
      if tg_op = 'DELETE' and current_setting('invoice_relay.moves_partition', true) = 'on'
        and pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'USAGE') then
        return old;
      end if;
      raise exception 'callback is insert-only: % refused', tg_op using errcode = 'restrict_violation';
    end $$`.execute(db);

  await sql`
    create table erased_invoice (
      id uuid not null,
      erased_at timestamptz not null default clock_timestamp(),
      checked_at timestamptz,
      constraint erased_invoice_pkey primary key (id)
    )`.execute(db);
  await sql`create index erased_invoice_unchecked
    on erased_invoice (erased_at) where checked_at is null`.execute(db);
  await sql`
    insert into erased_invoice (id, erased_at)
    select invoice_id, min(erased_at) from confirmation where erased_at is not null
    group by invoice_id`.execute(db);
  await sql`drop index confirmation_reopened`.execute(db);
  await sql`comment on table erased_invoice is
    'Invoices whose personal data was erased: nothing is kept of what comes in about them.'`.execute(db);

  await sql`
    create table ended_session (
      ends_at timestamptz not null,
      id text not null,
      constraint ended_session_pkey primary key (id)
    )`.execute(db);
  await sql`comment on table ended_session is
    'Sessions of the console that were signed out of and would not have ended yet.'`.execute(db);
}
