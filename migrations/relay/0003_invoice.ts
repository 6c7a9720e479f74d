import { type Kysely, sql } from "kysely";

/**
 * The newest answer that the provider confirmed for each invoice and source, and every other answer that
 * differed: older ones, and those that were replaced. The newest is not kept twice. `payer_email_hash`: 32
 * bits of the address' digest, to find it by; too few to be told by them. Personal data stands in `document`,
 * `title` and `reference`, so that erasing has one place to go. `document` is json as text: jsonb would
 * refuse NUL escapes and change the digits of numbers. A snapshot is looked up by its invoice alone, so that
 * the primary key is its one index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table invoice (
      id uuid not null,
      created_at timestamptz,
      modified_at timestamptz,
      paid_at timestamptz,
      asked_at timestamptz not null,
      confirmed_at timestamptz not null,
      erased_at timestamptz,
      amount numeric,
      service_charge numeric,
      vat numeric,
      total_amount numeric,
      settleable_amount numeric,
      payer_email_hash integer,
      source text not null,
      status text not null,
      type text,
      collection_name text,
      title text,
      reference text,
      payment_method text,
      service_fee_payer text,
      digest text not null,
      document json not null,
      constraint invoice_pkey primary key (source, id)
    ) with (fillfactor = 85)`.execute(db);
  await sql`create index invoice_paid_at on invoice (source, paid_at) where paid_at is not null`.execute(db);
  // For whoever has the merchant's own number, and for what was confirmed lately.
  await sql`create index invoice_reference on invoice (reference) where reference is not null`.execute(db);
  // For whoever has the payer on the telephone.
  await sql`create index invoice_payer_email
    on invoice (payer_email_hash) where payer_email_hash is not null`.execute(db);
  await sql`create index invoice_confirmed_at on invoice using brin (confirmed_at)`.execute(db);
  await sql`
    create table invoice_snapshot (
      id bigint generated always as identity,
      invoice_id uuid not null,
      asked_at timestamptz not null,
      recorded_at timestamptz not null default clock_timestamp(),
      erased_at timestamptz,
      source text not null,
      status text not null,
      digest text not null,
      document json not null,
      constraint invoice_snapshot_pkey primary key (source, invoice_id, id)
    )`.execute(db);
}
