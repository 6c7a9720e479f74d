import { type RawBuilder, sql } from "kysely";
import { boolean, type Columns, integer, json, numeric, text, time } from "../../database/columns.ts";
import type { ConfirmedInvoice } from "./payment.ts";

type Answered = { invoice: ConfirmedInvoice | null };

/** The columns of an answer that may hold an invoice; all null when it holds none. */
export const INVOICE: Columns<Answered> = {
  newest: boolean(({ invoice }) => invoice?.newest ?? false),
  differs: boolean(({ invoice }) => invoice?.differs ?? false),
  created_at: time(({ invoice }) => invoice?.createdAt ?? null),
  modified_at: time(({ invoice }) => invoice?.modifiedAt ?? null),
  paid_at: time(({ invoice }) => invoice?.paidAt ?? null),
  asked_at: time(({ invoice }) => invoice?.askedAt ?? null),
  confirmed_at: time(({ invoice }) => invoice?.confirmedAt ?? null),
  amount: numeric(({ invoice }) => invoice?.amount ?? null),
  service_charge: numeric(({ invoice }) => invoice?.serviceCharge ?? null),
  vat: numeric(({ invoice }) => invoice?.vat ?? null),
  total_amount: numeric(({ invoice }) => invoice?.totalAmount ?? null),
  settleable_amount: numeric(({ invoice }) => invoice?.settleableAmount ?? null),
  status: text(({ invoice }) => invoice?.status ?? null),
  type: text(({ invoice }) => invoice?.type ?? null),
  collection_name: text(({ invoice }) => invoice?.collectionName ?? null),
  title: text(({ invoice }) => invoice?.title ?? null),
  reference: text(({ invoice }) => invoice?.reference ?? null),
  payment_method: text(({ invoice }) => invoice?.paymentMethod ?? null),
  service_fee_payer: text(({ invoice }) => invoice?.serviceFeePayer ?? null),
  payer_email_hash: integer(({ invoice }) => invoice?.payerEmailHash ?? null),
  digest: text(({ invoice }) => invoice?.digest ?? null),
  document: json(({ invoice }) => invoice?.document ?? null),
};

/**
 * Keeps the answers in `held` that differ as snapshots: an older one as it came, and what a newer one
 * replaces. A statement sees the tables as they were before it, so the replaced row is still there.
 */
export const keepingSnapshots: RawBuilder<unknown> = sql`
  insert into invoice_snapshot (invoice_id, source, asked_at, status, digest, document, erased_at)
  select invoice_id, source, asked_at, status, digest, document, erased_at
  from held where differs and not newest
  union all
  select replaced.id, replaced.source, replaced.asked_at, replaced.status, replaced.digest, replaced.document,
    replaced.erased_at
  from held join invoice as replaced on replaced.source = held.source and replaced.id = held.invoice_id
  where held.differs and held.newest`;

/**
 * Stores the newest answers in `held`. Whoever holds the lease of the confirmation is the row's only writer.
 */
export const storing: RawBuilder<unknown> = sql`
  insert into invoice as known
    (id, source, created_at, modified_at, paid_at, asked_at, confirmed_at, amount, service_charge, vat,
     total_amount, settleable_amount, status, type, collection_name, title, reference, payment_method,
     service_fee_payer, payer_email_hash, digest, document, erased_at)
  select invoice_id, source, created_at, modified_at, paid_at, asked_at, confirmed_at, amount, service_charge,
    vat, total_amount, settleable_amount, status, type, collection_name, title, reference, payment_method,
    service_fee_payer, payer_email_hash, digest, document, erased_at
  from held
  where newest
  on conflict (source, id) do update set
    created_at = excluded.created_at, modified_at = excluded.modified_at,
    paid_at = excluded.paid_at, asked_at = excluded.asked_at, confirmed_at = excluded.confirmed_at,
    amount = excluded.amount, service_charge = excluded.service_charge, vat = excluded.vat,
    total_amount = excluded.total_amount, settleable_amount = excluded.settleable_amount,
    status = excluded.status, type = excluded.type, collection_name = excluded.collection_name,
    title = excluded.title,
    reference = excluded.reference, payment_method = excluded.payment_method,
    service_fee_payer = excluded.service_fee_payer,
    payer_email_hash = excluded.payer_email_hash, digest = excluded.digest, document = excluded.document,
    erased_at = coalesce(known.erased_at, excluded.erased_at)`;
