import { type Kysely, sql } from "kysely";

/** What a Create called itself, where the service is set to look at it: the same word makes one invoice. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table idempotency (
      api_key text not null,
      key text not null,
      request_sha256 bytea not null,
      invoice_id uuid not null references invoice on delete cascade,
      constraint idempotency_pkey primary key (api_key, key)
    )`.execute(db);
}
