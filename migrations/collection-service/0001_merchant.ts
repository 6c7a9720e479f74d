import { type Kysely, sql } from "kysely";

/**
 * What the seed file describes. `seed_digest` is the digest of the seed's row as it was last loaded: a row
 * is written again only when the seed file changed, so that changes made while running survive a restart.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The key itself is never stored. It is long and random, so that one round of SHA-256 cannot be guessed
  // backwards; a slow password hash would only slow every request.
  await sql`
    create table api_key (
      name text primary key,
      type text not null,
      sha256 bytea not null unique,
      constraint api_key_type_check check (type in ('Live', 'Test'))
    )`.execute(db);

  await sql`
    create table bank (
      number integer primary key,
      id uuid not null unique,
      name text not null,
      code text not null,
      logo text not null,
      seed_digest text not null
    )`.execute(db);

  await sql`
    create table collection (
      id uuid primary key,
      created_at timestamptz not null,
      amount numeric(20, 2),
      name text not null,
      description text,
      invoice_expiration_period text not null,
      payment_channels text[] not null,
      settlement_frequency text not null,
      service_fee_billing text not null,
      status text not null,
      category_id uuid,
      category_name text,
      biller_name text not null,
      biller_address text,
      biller_email text,
      fee json not null,
      seed_digest text not null,
      constraint collection_amount_check check (amount > 0),
      constraint collection_settlement_frequency_check check (settlement_frequency in ('Daily', 'Instant')),
      constraint collection_service_fee_billing_check check (service_fee_billing in ('Payer', 'Merchant')),
      constraint collection_status_check
        check (status in ('Active', 'Pending', 'Disabled', 'Suspended', 'Blocked'))
    )`.execute(db);

  await sql`
    create table linked_account (
      id uuid primary key,
      created_at timestamptz not null default now(),
      bank_number integer not null references bank,
      is_primary boolean not null,
      account_name text not null,
      account_number text not null,
      status text not null default 'Pending',
      seed_digest text,
      constraint linked_account_number_once unique (account_number),
      constraint linked_account_status_check check (status in ('Pending', 'Approved'))
    )`.execute(db);
  await sql`create unique index linked_account_one_primary
    on linked_account ((true)) where is_primary`.execute(db);

  await sql`
    create table collection_account (
      collection_id uuid not null references collection on delete cascade,
      position integer not null,
      linked_account_id uuid not null references linked_account,
      percentage numeric(5, 2) not null,
      primary key (collection_id, position)
    )`.execute(db);
}
