import { type Kysely, sql } from "kysely";

/**
 * Which of the provider's answers an event was made from: the digest of that answer, which is the invoice's
 * newest document or one of its snapshots. So a certificate can tell what the provider corrected afterwards
 * from what was edited here. Null for events of earlier versions. It is as unchangeable as the rest.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table event add column answer_digest text`.execute(db);
  await sql`
    create or replace function event_is_insert_only() returns trigger language plpgsql as $$
    declare
      personal constant text[] := '{title,reference,payer,biller,metadata}';
      was jsonb;
    begin
      if tg_op = 'UPDATE' and old.erased_at is null and new.erased_at is not null
        and new.erased_digest = encode(sha256(convert_to(old.payload, 'UTF8')), 'hex')
        and (new.source, new.id, new.invoice_id, new.type, new.invoice_type, new.created_at,
            new.collection_name, new.answer_digest) is not distinct from
            (old.source, old.id, old.invoice_id, old.type, old.invoice_type, old.created_at,
            old.collection_name, old.answer_digest) then
        begin
          was := old.payload::jsonb;
        exception when data_exception then
          -- Half a surrogate, say, which JSON may hold and jsonb may not.
          return new;
        end;
        if (was - 'data', (was->'data') - personal) is not distinct from
            (new.payload::jsonb - 'data', (new.payload::jsonb->'data') - personal) then
          return new;
        end if;
      end if;
      raise exception 'event is insert-only: % refused', tg_op using errcode = 'restrict_violation';
    end $$`.execute(db);
}
