import { type Kysely, sql } from "kysely";

/** What became of a callback. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `failed_check`: the check of its source that a refused callback failed. Erasing leaves it as it is.
  await sql`
    alter table callback add column failed_check text;
    create or replace function callback_is_insert_only() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and old.erased_at is null and new.erased_at is not null
        and new.erased_digest = encode(sha256(old.body), 'hex')
        and (new.body, new.headers::text, new.path, new.query) = ('', '[]', '', '')
        and (new.reference, new.remote_address) is not distinct from (null, null)
        and (new.id, new.received_at, new.source, new.invoice_ids, new.also_named, new.method, new.found_by,
            new.verdict, new.failed_check, new.cut::text) is not distinct from
            (old.id, old.received_at, old.source, old.invoice_ids, old.also_named, old.method, old.found_by,
            old.verdict, old.failed_check, old.cut::text) then
        return new;
      end if;
      if tg_op = 'DELETE' and current_setting('invoice_relay.moves_partition', true) = 'on'
        and pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'USAGE') then
        return old;
      end if;
      raise exception 'callback is insert-only: % refused', tg_op using errcode = 'restrict_violation';
    end $$`.execute(db);
}
