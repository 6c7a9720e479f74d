import { type Kysely, sql } from "kysely";

/** Public keys, kept for good: what an older one signed stays checkable. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `public_key`: the 32 bytes of an Ed25519 key in base64. `retired_at`: when another one took over.
  await sql`
    create table signing_key (
      created_at timestamptz not null default clock_timestamp(),
      retired_at timestamptz,
      id text primary key constraint signing_key_id check (id ~ '^[0-9a-f]{16}$'),
      public_key text not null constraint signing_key_public_key check (length(public_key) = 44)
    );
    comment on table signing_key is
      'public keys of CERTIFICATE_SIGNING_KEY, older ones too, so that what they signed can be checked'`.execute(
    db,
  );
}
