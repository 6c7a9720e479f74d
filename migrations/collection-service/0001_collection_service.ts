import { type Kysely, sql } from "kysely";

/** The collection service: what its seed file describes, invoices, and the callbacks about them. */
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
      logo text not null
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

  // An invoice is stored as Unpaid, Paid or Invalidated; that it expired is read off the clock, so that no
  // timer has to run for an expired invoice to be invalid. `current_invoice` is the truth. `readable_invoice`
  // is what the API shows: the same, but for a payment that is kept from readers for a while on request
  // (`readable_at`).
  await sql`
    create table invoice (
      id uuid primary key,
      collection_id uuid not null references collection,
      created_at timestamptz not null,
      modified_at timestamptz not null,
      expires_at timestamptz not null,
      paid_at timestamptz,
      readable_at timestamptz,
      amount numeric(20, 2) not null,
      service_charge numeric(20, 2) not null,
      vat numeric(20, 2) not null,
      total_amount numeric(20, 2) not null,
      settleable_amount numeric(20, 2) not null,
      status text not null,
      type text not null,
      service_fee_payer text not null,
      settlement_frequency text not null,
      payment_method text,
      title text not null,
      payer_name text not null,
      payer_email text not null,
      payer_phone_number text,
      callback_url text,
      biller_metadata json not null,
      beneficiaries json,
      constraint invoice_status_check check (status in ('Unpaid', 'Paid', 'Invalidated')),
      constraint invoice_type_check check (type in ('Live', 'Test')),
      constraint invoice_paid_check
        check ((status = 'Paid') = (paid_at is not null and payment_method is not null))
    )`.execute(db);
  await sql`create index invoice_list on invoice (collection_id, created_at desc, id desc)`.execute(db);

  await sql`
    create view current_invoice as
    select i.id, i.collection_id, i.created_at, i.expires_at, i.paid_at, i.readable_at,
      case when i.status = 'Unpaid' and i.expires_at <= now() then i.expires_at else i.modified_at end
        as modified_at,
      case when i.status = 'Unpaid' and i.expires_at <= now() then 'Invalidated' else i.status end as status,
      i.amount, i.service_charge, i.vat, i.total_amount, i.settleable_amount, i.type, i.service_fee_payer,
      i.settlement_frequency, i.payment_method, i.title, i.payer_name, i.payer_email, i.payer_phone_number,
      i.callback_url, i.biller_metadata, i.beneficiaries,
      c.name as collection_name, c.biller_name, c.biller_address, c.biller_email
    from invoice i join collection c on c.id = i.collection_id`.execute(db);

  await sql`
    create view readable_invoice as
    select id, collection_id, created_at, expires_at, readable_at,
      case when readable_at > now() then null else paid_at end as paid_at,
      case when readable_at > now() then created_at else modified_at end as modified_at,
      case when readable_at > now() then 'Unpaid' else status end as status,
      amount, service_charge, vat, total_amount, settleable_amount, type, service_fee_payer,
      settlement_frequency,
      case when readable_at > now() then null else payment_method end as payment_method,
      title, payer_name, payer_email, payer_phone_number, callback_url, biller_metadata, beneficiaries,
      collection_name, biller_name, biller_address, biller_email
    from current_invoice`.execute(db);

  // The queue of callbacks. A delivery is taken by moving `due_at` past the time
  // that one attempt may take: if the process dies, the delivery comes due again by itself. The primary key
  // allows each copy of an invoice's callback once: a payment cannot queue two by accident.
  await sql`
    create table delivery (
      invoice_id uuid not null references invoice on delete cascade,
      copy integer not null,
      webhook_id uuid not null,
      notification_id uuid not null,
      queued_at timestamptz not null,
      due_at timestamptz not null,
      attempt integer not null default 0,
      state text not null,
      url text not null,
      answer_status integer,
      error text,
      constraint delivery_pkey primary key (invoice_id, copy),
      constraint delivery_state_check check (state in ('due', 'delivered', 'given_up'))
    )`.execute(db);
  await sql`create index delivery_due on delivery (due_at) where state = 'due'`.execute(db);
}
