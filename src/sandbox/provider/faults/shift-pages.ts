import { sql } from "kysely";
import type { ServiceDatabase } from "../service-tables.ts";

/**
 * Puts one more invoice on top of the collection's list, a copy of its newest, so that later pages shift by
 * one.
 */
export async function shiftPages(db: ServiceDatabase, collectionId: string): Promise<void> {
  await sql`
    insert into invoice
    select (jsonb_populate_record(newest::invoice,
      jsonb_build_object('id', gen_random_uuid(), 'created_at', now()))).*
    from (
      select * from invoice where collection_id = ${collectionId} order by created_at desc, id desc limit 1
    ) as newest`.execute(db);
}
