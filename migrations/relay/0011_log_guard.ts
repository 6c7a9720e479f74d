import { type Kysely, sql } from "kysely";

/**
 * A setting that any login may make is no guard: rows leave the log only for its owner, who says by the
 * setting that it is meant, and so for the functions that work as its owner. The last of these drops what
 * retention kept beside its partition and nobody needs any longer: only what is named, and only from past
 * months.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function callback_is_insert_only() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and new.erased_at is not null and new.body = ''
        and (new.id, new.received_at, new.source, new.invoice_ids) is not distinct from
            (old.id, old.received_at, old.source, old.invoice_ids) then
        return new;
      end if;
      if tg_op = 'DELETE' and current_setting('invoice_relay.moves_partition', true) = 'on'
        and pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'USAGE') then
        return old;
      end if;
      raise exception 'callback is insert-only: % refused', tg_op using errcode = 'restrict_violation';
    end $$`.execute(db);
  await sql`
    create function drop_kept_callbacks(received timestamptz[], ids uuid[]) returns bigint
    language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
    declare
      dropped bigint;
    begin
      perform set_config('invoice_relay.moves_partition', 'on', true);
      delete from public.callback_default
      where (received_at, id) in (select * from unnest(received, ids))
        and received_at < date_trunc('month', now(), 'UTC');
      get diagnostics dropped = row_count;
      perform set_config('invoice_relay.moves_partition', 'off', true);
      return dropped;
    end $$`.execute(db);
  await sql`revoke all on function drop_kept_callbacks from public`.execute(db);
}
