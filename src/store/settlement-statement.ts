import { sql } from "kysely";
import {
  boolean,
  type Columns,
  float,
  integer,
  json,
  numeric,
  text,
  time,
  uuid,
} from "../database/columns.ts";
import { type Slots, Statement } from "../database/statement.ts";
import { topicIsOpen } from "../database/topic-is-open.ts";
import type { Settlement } from "./settlement.ts";

/** A settlement, and the topic that its event is sent to by this very process; null leaves the event due. */
export type HandedSettlement = Settlement & { handTo: string | null };

export interface SettlementBatch {
  settlements: readonly HandedSettlement[];
  /** The lease of those events that are handed over. */
  leaseToken: string;
  leaseMs: number;
}

/** An event that was new. */
export interface AddedEvent {
  id: string;
  state: "due" | "claimed" | "held";
}

const CONFIRMATION: Columns<HandedSettlement> = {
  invoice_id: uuid((s) => s.invoiceId),
  source: text((s) => s.source),
  lease_token: uuid((s) => s.leaseToken),
  requests: integer((s) => s.requests),
  state: text((s) => s.state),
  verdict: text((s) => s.verdict),
  due_in_ms: float((s) => s.dueInMs),
  lane: text((s) => s.lane),
  attempt: integer((s) => s.attempt),
  faults: integer((s) => s.faults),
  last_error: text((s) => s.lastError),
  last_answer: text((s) => s.lastAnswer),
};

const INVOICE: Columns<HandedSettlement> = {
  newest: boolean((s) => s.invoice?.newest ?? false),
  differs: boolean((s) => s.invoice?.differs ?? false),
  created_at: time((s) => s.invoice?.createdAt ?? null),
  modified_at: time((s) => s.invoice?.modifiedAt ?? null),
  paid_at: time((s) => s.invoice?.paidAt ?? null),
  asked_at: time((s) => s.invoice?.askedAt ?? null),
  confirmed_at: time((s) => s.invoice?.confirmedAt ?? null),
  amount: numeric((s) => s.invoice?.amount ?? null),
  service_charge: numeric((s) => s.invoice?.serviceCharge ?? null),
  vat: numeric((s) => s.invoice?.vat ?? null),
  total_amount: numeric((s) => s.invoice?.totalAmount ?? null),
  settleable_amount: numeric((s) => s.invoice?.settleableAmount ?? null),
  status: text((s) => s.invoice?.status ?? null),
  type: text((s) => s.invoice?.type ?? null),
  collection_name: text((s) => s.invoice?.collectionName ?? null),
  title: text((s) => s.invoice?.title ?? null),
  reference: text((s) => s.invoice?.reference ?? null),
  payment_method: text((s) => s.invoice?.paymentMethod ?? null),
  service_fee_payer: text((s) => s.invoice?.serviceFeePayer ?? null),
  digest: text((s) => s.invoice?.digest ?? null),
  document: json((s) => s.invoice?.document ?? null),
};

const EVENT: Columns<HandedSettlement> = {
  event_id: uuid((s) => s.event?.id ?? null),
  event_type: text((s) => s.event?.type ?? null),
  event_invoice_type: text((s) => s.event?.invoiceType ?? null),
  event_collection_name: text((s) => s.event?.collectionName ?? null),
  event_state: text((s) => s.event?.state ?? null),
  event_payload: text((s) => s.event?.payload ?? null),
  hand_to: text((s) => s.handTo),
};

// A request that came while the provider was being asked is not covered by the answer: asked again at once.
const SETTLE_CONFIRMATIONS = sql`
  update confirmation as known set
    state = case when known.requests > held.requests then 'due' else held.state end,
    due_at = case when known.requests > held.requests then clock_timestamp()
      else clock_timestamp() + held.due_in_ms * interval '1 ms' end,
    attempt = case when known.requests > held.requests then 0 else held.attempt end,
    settled_at = case when held.state = 'due' then known.settled_at else clock_timestamp() end,
    lease_token = null, claimed_until = null,
    verdict = held.verdict, lane = held.lane, faults = held.faults,
    last_error = held.last_error, last_answer = held.last_answer
  from held
  where known.invoice_id = held.invoice_id and known.source = held.source
  returning 1`;

// Two sources may be told of one invoice in one batch, and no statement may write a row twice: the newest (G6).
const STORE_INVOICES = sql`
  insert into invoice as known
    (id, source, created_at, modified_at, paid_at, asked_at, confirmed_at, amount, service_charge, vat, total_amount,
     settleable_amount, status, type, collection_name, title, reference, payment_method, service_fee_payer, digest, document, erased_at)
  select distinct on (invoice_id) invoice_id, source, created_at, modified_at, paid_at, asked_at, confirmed_at, amount, service_charge, vat,
    total_amount, settleable_amount, status, type, collection_name, title, reference, payment_method, service_fee_payer, digest,
    document, erased_at
  from held
  where newest
  order by invoice_id, modified_at desc nulls last, asked_at desc
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
    and (excluded.modified_at > known.modified_at or excluded.asked_at >= known.asked_at)`;

const KEEP_SNAPSHOTS = sql`
  insert into invoice_snapshot (invoice_id, source, asked_at, status, digest, document, erased_at)
  select invoice_id, source, asked_at, status, digest, document, erased_at
  from held
  where differs`;

// However many find the payment, the unique key lets one event through (G4). One that is handed over is claimed from
// its first moment on, so that it costs no second write; a topic that is paused or backs off takes none. Counting the
// verdicts makes Postgres write them first, so that a timeline tells of the verdict before the event.
const addEvents = (value: Slots<SettlementBatch>["value"]) => sql`
  insert into event
    (id, invoice_id, source, type, invoice_type, collection_name, payload, erased_at, state, lease_token, claimed_until)
  select event_id, invoice_id, source, event_type, event_invoice_type, event_collection_name, event_payload, erased_at,
    case when topic.arn is null then event_state else 'claimed' end,
    case when topic.arn is not null then ${value(({ leaseToken }) => leaseToken)}::uuid end,
    case when topic.arn is not null then clock_timestamp() + ${value(({ leaseMs }) => leaseMs)}::float8 * interval '1 ms' end
  from held
  left join topic on topic.arn = hand_to and event_state = 'due' and ${topicIsOpen}
  where event_id is not null and (select count(*) from settled) > 0
  order by invoice_id
  on conflict do nothing
  returning id, state`;

/**
 * One statement, so one transaction: which answers' leases still hold is decided first, under lock and in invoice order,
 * and everything else is written for those only (G6). Two answers of one batch may be about one row, an old worker's
 * and a new one's; they never both hold its lease. Only a claimed row has a lease token (confirmation_lease_check);
 * asking for the state as well would lead Postgres to the index of claimed rows, where it meets all that were claimed
 * since the last vacuum.
 * @returns the events that are new.
 */
export const settlementStatement = new Statement<SettlementBatch, AddedEvent>(
  ({ table, value }) => sql`
    with answer as materialized (
      select * from ${table("answer", { ...CONFIRMATION, ...INVOICE, ...EVENT }, ({ settlements }) => settlements)}
    ),
    held as materialized (
      select answer.*, known.erased_at
      from confirmation as known join answer on answer.invoice_id = known.invoice_id and answer.source = known.source
        and known.lease_token = answer.lease_token
      order by known.invoice_id, known.source
      for update of known
    ),
    settled as (${SETTLE_CONFIRMATIONS}),
    stored as (${STORE_INVOICES}),
    kept as (${KEEP_SNAPSHOTS}),
    added as (${addEvents(value)})
    select id, state from added`,
);
