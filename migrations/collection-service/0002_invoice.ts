import { type Kysely, sql } from "kysely";

/**
 * An invoice is stored as Unpaid, Paid or Invalidated; that it expired is read off the clock, so that no
 * timer has to run for an expired invoice to be invalid. `current_invoice` is the truth. `readable_invoice`
 * is what the API shows: the same, but for a payment that is kept from readers for a while on request
 * (`readable_at`, `hidden_as`).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
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
      hidden_as text,
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
        check ((status = 'Paid') = (paid_at is not null and payment_method is not null)),
      constraint invoice_hidden_as_check check (hidden_as in ('Unpaid', 'missing'))
    )`.execute(db);
  await sql`create index invoice_list on invoice (collection_id, created_at desc, id desc)`.execute(db);

  await sql`
    create view current_invoice as
    select i.id, i.collection_id, i.created_at, i.expires_at, i.paid_at, i.readable_at, i.hidden_as,
      case when i.status = 'Unpaid' and i.expires_at <= now() then i.expires_at else i.modified_at end
        as modified_at,
      case when i.status = 'Unpaid' and i.expires_at <= now() then 'Invalidated' else i.status end as status,
      i.amount, i.service_charge, i.vat, i.total_amount, i.settleable_amount, i.type, i.service_fee_payer,
      i.settlement_frequency, i.payment_method, i.title, i.payer_name, i.payer_email, i.payer_phone_number,
      i.callback_url, i.biller_metadata, i.beneficiaries,
      c.name as collection_name, c.biller_name, c.biller_address, c.biller_email, c.payment_channels
    from invoice i join collection c on c.id = i.collection_id`.execute(db);

  await sql`
    create view readable_invoice as
    select id, collection_id, created_at, expires_at, readable_at, hidden_as,
      case when readable_at > now() then null else paid_at end as paid_at,
      case when readable_at > now() then created_at else modified_at end as modified_at,
      case when readable_at > now() then 'Unpaid' else status end as status,
      amount, service_charge, vat, total_amount, settleable_amount, type, service_fee_payer,
      settlement_frequency,
      case when readable_at > now() then null else payment_method end as payment_method,
      title, payer_name, payer_email, payer_phone_number, callback_url, biller_metadata, beneficiaries,
      collection_name, biller_name, biller_address, biller_email, payment_channels
    from current_invoice
    where not (hidden_as = 'missing' and readable_at > now()) or readable_at is null`.execute(db);
}
