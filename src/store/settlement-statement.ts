import { type RawBuilder, sql } from "kysely";
import type { ConfirmedInvoice, NewEvent, Settlement } from "./settlement.ts";

/**
 * One statement, so one transaction: whose leases still hold is decided first, under lock and in invoice order,
 * and everything else is written for those only (G6). Two settlements of one batch never share a row, because
 * a row has one lease.
 * @returns `settled`, the rows whose lease held, and `events`, the new events that are due.
 */
export function settlementStatement(
  settlements: readonly Settlement[],
): RawBuilder<{ settled: number; events: number }> {
  return sql`
    with answer as (${answers(settlements)}),
    held as materialized (
      select known.invoice_id, known.source, known.erased_at
      from confirmation as known join answer on answer.invoice_id = known.invoice_id and answer.source = known.source
      where known.state = 'claimed' and known.lease_token = answer.lease_token
      order by known.invoice_id, known.source
      for update of known
    ),
    settled as (${settleConfirmations()}),
    stored as (${storeInvoices(settlements)}),
    kept as (${keepSnapshots(settlements)}),
    published as (${addEvents(settlements)})
    select (select count(*) from settled) as settled, (select count(*) from published where state = 'due') as events`;
}

function answers(settlements: readonly Settlement[]): RawBuilder<unknown> {
  const column = <T>(value: (settlement: Settlement) => T) => settlements.map(value);
  return sql`
    select * from unnest(
      ${column((s) => s.invoiceId)}::uuid[], ${column((s) => s.source)}::text[], ${column((s) => s.leaseToken)}::uuid[],
      ${column((s) => s.requests)}::int[], ${column((s) => s.state)}::text[], ${column((s) => s.verdict)}::text[],
      ${column((s) => s.dueInMs)}::float8[], ${column((s) => s.lane)}::text[], ${column((s) => s.attempt)}::int[],
      ${column((s) => s.faults)}::int[], ${column((s) => s.lastError)}::text[], ${column((s) => s.lastAnswer)}::text[])
      as a (invoice_id, source, lease_token, requests, state, verdict, due_in_ms, lane, attempt, faults, last_error, last_answer)`;
}

// A request that came while the provider was being asked is not covered by the answer: asked again at once.
function settleConfirmations(): RawBuilder<unknown> {
  return sql`
    update confirmation as known set
      state = case when known.requests > answer.requests then 'due' else answer.state end,
      due_at = case when known.requests > answer.requests then clock_timestamp()
        else clock_timestamp() + answer.due_in_ms * interval '1 ms' end,
      attempt = case when known.requests > answer.requests then 0 else answer.attempt end,
      settled_at = case when answer.state = 'due' then known.settled_at else clock_timestamp() end,
      lease_token = null, claimed_until = null,
      verdict = answer.verdict, lane = answer.lane, faults = answer.faults,
      last_error = answer.last_error, last_answer = answer.last_answer
    from answer join held on held.invoice_id = answer.invoice_id and held.source = answer.source
    where known.invoice_id = answer.invoice_id and known.source = answer.source
    returning known.invoice_id`;
}

type Stored = Settlement & { invoice: ConfirmedInvoice };

function storeInvoices(settlements: readonly Settlement[]): RawBuilder<unknown> {
  const rows = settlements.filter((s): s is Stored => s.invoice?.newest === true);
  const column = <T>(value: (invoice: ConfirmedInvoice, settlement: Stored) => T) =>
    rows.map((row) => value(row.invoice, row));
  return sql`
    insert into invoice as known
      (id, source, created_at, modified_at, paid_at, asked_at, confirmed_at, amount, service_charge, vat, total_amount,
       settleable_amount, status, type, collection_name, title, reference, payment_method, service_fee_payer, digest, document, erased_at)
    select given.*, held.erased_at from unnest(
      ${column((_, s) => s.invoiceId)}::uuid[], ${column((_, s) => s.source)}::text[],
      ${column((i) => iso(i.createdAt))}::timestamptz[], ${column((i) => iso(i.modifiedAt))}::timestamptz[],
      ${column((i) => iso(i.paidAt))}::timestamptz[], ${column((i) => iso(i.askedAt))}::timestamptz[],
      ${column((i) => iso(i.confirmedAt))}::timestamptz[], ${column((i) => i.amount)}::numeric[],
      ${column((i) => i.serviceCharge)}::numeric[], ${column((i) => i.vat)}::numeric[],
      ${column((i) => i.totalAmount)}::numeric[], ${column((i) => i.settleableAmount)}::numeric[],
      ${column((i) => i.status)}::text[], ${column((i) => i.type)}::text[], ${column((i) => i.collectionName)}::text[],
      ${column((i) => i.title)}::text[], ${column((i) => i.reference)}::text[], ${column((i) => i.paymentMethod)}::text[],
      ${column((i) => i.serviceFeePayer)}::text[], ${column((i) => i.digest)}::text[], ${column((i) => i.document)}::json[])
      as given (id, source, created_at, modified_at, paid_at, asked_at, confirmed_at, amount, service_charge, vat, total_amount,
       settleable_amount, status, type, collection_name, title, reference, payment_method, service_fee_payer, digest, document)
    join held on held.invoice_id = given.id and held.source = given.source
    order by given.id
    on conflict (id) do update set
      source = excluded.source, created_at = excluded.created_at, modified_at = excluded.modified_at,
      paid_at = excluded.paid_at, asked_at = excluded.asked_at, confirmed_at = excluded.confirmed_at,
      amount = excluded.amount, service_charge = excluded.service_charge, vat = excluded.vat,
      total_amount = excluded.total_amount, settleable_amount = excluded.settleable_amount, status = excluded.status,
      type = excluded.type, collection_name = excluded.collection_name, title = excluded.title,
      reference = excluded.reference, payment_method = excluded.payment_method,
      service_fee_payer = excluded.service_fee_payer, digest = excluded.digest, document = excluded.document,
      erased_at = coalesce(known.erased_at, excluded.erased_at)
    where (known.modified_at is null or excluded.modified_at is null or excluded.modified_at >= known.modified_at)
      and (excluded.modified_at > known.modified_at or excluded.asked_at >= known.asked_at)
    returning known.id`;
}

function keepSnapshots(settlements: readonly Settlement[]): RawBuilder<unknown> {
  const rows = settlements.filter((s): s is Stored => s.invoice?.differs === true);
  const column = <T>(value: (invoice: ConfirmedInvoice, settlement: Stored) => T) =>
    rows.map((row) => value(row.invoice, row));
  return sql`
    insert into invoice_snapshot (invoice_id, source, asked_at, status, digest, document, erased_at)
    select given.*, held.erased_at from unnest(
      ${column((_, s) => s.invoiceId)}::uuid[], ${column((_, s) => s.source)}::text[], ${column((i) => iso(i.askedAt))}::timestamptz[],
      ${column((i) => i.status)}::text[], ${column((i) => i.digest)}::text[], ${column((i) => i.document)}::json[])
      as given (invoice_id, source, asked_at, status, digest, document)
    join held on held.invoice_id = given.invoice_id and held.source = given.source
    returning id`;
}

// However many find the payment, the unique key lets one event through (G4).
function addEvents(settlements: readonly Settlement[]): RawBuilder<unknown> {
  const rows = settlements.filter((s): s is Settlement & { event: NewEvent } => s.event !== null);
  const column = <T>(value: (event: NewEvent, settlement: Settlement) => T) =>
    rows.map((row) => value(row.event, row));
  return sql`
    insert into event (id, invoice_id, source, type, invoice_type, collection_name, state, payload, erased_at)
    select given.*, held.erased_at from unnest(
      ${column((e) => e.id)}::uuid[], ${column((_, s) => s.invoiceId)}::uuid[], ${column((_, s) => s.source)}::text[],
      ${column((e) => e.type)}::text[], ${column((e) => e.invoiceType)}::text[], ${column((e) => e.collectionName)}::text[],
      ${column((e) => e.state)}::text[], ${column((e) => e.payload)}::text[])
      as given (id, invoice_id, source, type, invoice_type, collection_name, state, payload)
    join held on held.invoice_id = given.invoice_id and held.source = given.source
    order by given.invoice_id
    on conflict do nothing
    returning state`;
}

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;
