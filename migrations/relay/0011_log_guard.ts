import { type Kysely, sql } from "kysely";

/**
 * What erasing writes is the one update that the log of callbacks takes, once for each row, and neither log
 * is emptied at once. A setting that any login may make is no guard: rows leave the log only for its owner,
 * who says by the setting that it is meant, and so for the functions that work as its owner. The last of
 * these drops what retention kept beside its partition and nobody needs any longer: only what is named, and
 * only from past months.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function callback_is_insert_only() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and old.erased_at is null and new.erased_at is not null
        and new.erased_digest = encode(sha256(old.body), 'hex')
        and (new.body, new.headers::text, new.path, new.query) = ('', '[]', '', '')
        and (new.reference, new.remote_address) is not distinct from (null, null)
        and (new.id, new.received_at, new.source, new.invoice_ids, new.method, new.found_by, new.verdict,
            new.cut::text) is not distinct from
            (old.id, old.received_at, old.source, old.invoice_ids, old.method, old.found_by, old.verdict,
            old.cut::text) then
        return new;
      end if;
      if tg_op = 'DELETE' and current_setting('invoice_relay.moves_partition', true) = 'on'
        and pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'USAGE') then
        return old;
      end if;
      raise exception 'callback is insert-only: % refused', tg_op using errcode = 'restrict_violation';
    end $$`.execute(db);
  for (const log of ["callback", "event"])
    await sql`
      create trigger ${sql.ref(`${log}_is_never_emptied`)} before truncate on ${sql.ref(log)}
      for each statement execute function ${sql.ref(`${log}_is_insert_only`)}()`.execute(db);
  // A partition does not inherit it.
  await sql`
    create trigger callback_is_never_emptied before truncate on callback_default
    for each statement execute function callback_is_insert_only()`.execute(db);
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
