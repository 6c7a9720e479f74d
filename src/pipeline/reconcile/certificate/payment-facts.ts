import { sql } from "kysely";
import {
  type Database,
  inKeyOrder,
  nullable,
  type ResultOf,
  returned,
  type Slots,
  Statement,
} from "../../../platform/database/index.ts";
import { NIL_UUID } from "../../../platform/values/index.ts";
import { type ConfirmationState, readableDocument, type Verdict } from "../../confirm/index.ts";
import {
  inPayload,
  invoiceTypeInPayload,
  isEventOf,
  joinOutbox,
  type OutboxState,
} from "../../publish/index.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { type CertifiedLists, certifiedIds, joinListedAndAsked } from "./asked-payment.ts";

/**
 * Everything known about one payment. Amounts are decimal strings; those of document and payload are
 * verbatim.
 */
const FACTS = {
  invoiceId: returned.uuid,
  listed: returned.boolean,
  label: nullable(returned.text()),
  amountsDiffer: returned.boolean,
  listedAmount: nullable(returned.numeric),
  listedPaidAt: nullable(returned.time),
  listedCreatedAt: nullable(returned.time),
  asked: nullable(returned.text<"paid" | "not_paid" | "unknown" | "not_found" | "unclear">()),
  askedStatus: nullable(returned.text()),
  askedType: nullable(returned.text()),
  askedCollection: nullable(returned.text()),
  askedAmount: nullable(returned.numeric),
  askedPaidAt: nullable(returned.time),
  askedCreatedAt: nullable(returned.time),
  status: nullable(returned.text()),
  type: nullable(returned.text()),
  paidAt: nullable(returned.time),
  createdAt: nullable(returned.time),
  collectionName: nullable(returned.text()),
  amounts: nullable(returned.json<Amounts>()),
  inDocument: nullable(returned.json<AnswerFields & { status: string | null }>()),
  documentIsWhole: nullable(returned.boolean),
  confirmation: nullable(returned.text<ConfirmationState>()),
  verdict: nullable(returned.text<Verdict>()),
  openedAt: nullable(returned.time),
  recordOnly: nullable(returned.boolean),
  lastError: nullable(returned.text()),
  released: returned.boolean,
  dismissedBy: nullable(returned.text()),
  hasCallback: returned.boolean,
  eventId: nullable(returned.uuid),
  eventType: nullable(returned.text()),
  inPayload: nullable(
    returned.json<
      Amounts & { id: string | null; subject: string | null; type: string | null; paidAt: string | null }
    >(),
  ),
  /**
   * The stored answer that the event was made from; of an event that an earlier version made, every stored
   * answer. null without one.
   */
  eventAnswers: nullable(
    returned.json<(AnswerFields & { isNewest: boolean; isErased: boolean; isWhole: boolean })[]>(),
  ),
  outboxState: nullable(returned.text<OutboxState>()),
  outboxError: nullable(returned.text()),
  /** On the live topic. */
  accepted: returned.boolean,
  acceptedElsewhere: nullable(returned.text()),
  digestMatches: nullable(returned.boolean),
  digestDiffers: nullable(returned.boolean),
} as const;

interface Amounts {
  amount: string | null;
  serviceCharge: string | null;
  vat: string | null;
  totalAmount: string | null;
  settleableAmount: string | null;
}

export interface AnswerFields extends Amounts {
  type: string | null;
  paymentDate: string | null;
}

export type PaymentFacts = ResultOf<typeof statement>;

interface FactsQuery extends CertifiedLists {
  of: ReconcileSource;
  after: string;
}

const digestOf = (document: ReturnType<typeof sql>) => sql`
  translate(rtrim(encode(sha256(convert_to(${document}::text, 'UTF8')), 'base64'), '='), '+/', '-_')`;

const inDocument = (field: string) => sql`readable.document ->> ${sql.lit(field)}`;

const AMOUNTS = {
  amount: "amount",
  serviceCharge: "service_charge",
  vat: "vat",
  totalAmount: "total_amount",
  settleableAmount: "settleable_amount",
} as const;

const amountsOf = (read: (field: string, column: string) => ReturnType<typeof sql>) =>
  sql.join(Object.entries(AMOUNTS).map(([field, column]) => sql`${sql.lit(field)}, ${read(field, column)}`));

const answerFields = sql`
  ${amountsOf((field) => inDocument(field))}, 'type', ${inDocument("type")},
  'paymentDate', ${inDocument("paymentDate")}`;

const BATCH = 2_000;

const statement = new Statement(FACTS, (slots: Slots<FactsQuery>) => {
  const { value } = slots;
  const name = value(({ source }) => source);
  const live = value(({ of }) => of.liveTopicArn);
  return sql`
    with work as (${certifiedIds(slots, BATCH)})
    select work.invoice_id as "invoiceId", listed.invoice_id is not null as listed,
      listed.label, coalesce(listed.amounts_differ, false) as "amountsDiffer",
      listed.amount as "listedAmount",
      listed.paid_at as "listedPaidAt", listed.created_at as "listedCreatedAt", asked.asked,
      asked.status as "askedStatus", asked.type as "askedType", asked.collection as "askedCollection",
      asked.amount as "askedAmount", asked.paid_at as "askedPaidAt", asked.created_at as "askedCreatedAt",
      invoice.status, invoice.type, invoice.paid_at as "paidAt", invoice.created_at as "createdAt",
      invoice.collection_name as "collectionName",
      case when invoice.id is not null then
        json_build_object(${amountsOf((_, column) => sql`invoice.${sql.ref(column)}::text`)}) end as amounts,
      case when invoice.id is not null and invoice.erased_at is null then json_build_object(
        ${answerFields},
        'status', coalesce(${inDocument("status")}, ${inDocument("invoiceStatus")})) end as "inDocument",
      case when invoice.erased_at is null then invoice.digest = ${digestOf(sql`invoice.document`)}
        end as "documentIsWhole",
      known.state as confirmation, known.verdict, known.opened_at as "openedAt",
      known.record_only as "recordOnly", known.last_error as "lastError",
      known.released_at is not null as released,
      case when known.dismissed_at is not null or outbox.dismissed_at is not null then coalesce((
        select actor from audit_entry
        where audit_entry.invoice_id = work.invoice_id and action like '%dismiss' order by id desc limit 1),
        'someone') end as "dismissedBy",
      (known.opened_by is distinct from 'callback'
        or known.opened_at < clock_timestamp() - ${value(({ of }) => of.retentionMs)}::float8
          * interval '1 ms' + interval '1 day'
        or exists (
          select from callback where callback.source = ${name} and callback.invoice_ids[1] = work.invoice_id
            and callback.received_at between known.opened_at - interval '1 day'
              and known.opened_at + interval '1 day')
        or exists (
          select from callback where callback.source = ${name} and cardinality(callback.invoice_ids) > 1
            and callback.invoice_ids @> array[work.invoice_id]
            and callback.received_at between known.opened_at - interval '1 day'
              and known.opened_at + interval '1 day')) as "hasCallback",
      event.id as "eventId", event.invoice_type as "eventType",
      case when event.id is not null then json_build_object(
        ${amountsOf((field) => inPayload(field))}, 'id', ${inPayload("id")},
        'subject', ${inPayload("subject")}, 'type', ${invoiceTypeInPayload},
        'paidAt', ${inPayload("paidAt")}) end as "inPayload",
      answers.found as "eventAnswers",
      outbox.state as "outboxState", outbox.last_error as "outboxError",
      coalesce(acceptance.on_live, false) as accepted, acceptance.elsewhere as "acceptedElsewhere",
      acceptance.matches as "digestMatches", acceptance.differs as "digestDiffers"
    from work
    ${joinListedAndAsked(slots)}
    left join invoice on invoice.source = ${name} and invoice.id = work.invoice_id
    left join confirmation as known on known.source = ${name} and known.invoice_id = work.invoice_id
    left join event on event.source = ${name} and ${isEventOf(sql`work.invoice_id`)}
    ${joinOutbox}
    left join lateral (select ${readableDocument(sql`invoice.document`)} as document) as readable on true
    left join lateral (
      select json_agg(json_build_object(${answerFields}, 'isNewest', answer.newest,
        'isErased', answer.erased_at is not null,
        'isWhole', answer.digest = ${digestOf(sql`answer.document`)})) as found
      from (
        select true as newest, invoice.digest, invoice.document, invoice.erased_at
        where invoice.id is not null
        union all
        (select distinct on (digest) false, digest, document, erased_at from invoice_snapshot as snapshot
        where snapshot.source = event.source and snapshot.invoice_id = event.invoice_id
          and event.answer_digest is distinct from invoice.digest
        order by digest)) as answer
      left join lateral (select ${readableDocument(sql`answer.document`)} as document) as readable on true
      where answer.digest = coalesce(event.answer_digest, answer.digest)
    ) as answers on event.id is not null
    left join lateral (
      select bool_or(publication.topic_arn = ${live}::text) as on_live,
        string_agg(distinct publication.topic_arn, ', ') filter (
          where publication.topic_arn <> ${live}::text and publication.replay_id is null) as elsewhere,
        bool_or(publication.digest = sha256(convert_to(event.payload, 'UTF8'))
          or (event.erased_at is not null and encode(publication.digest, 'hex') = event.erased_digest))
          filter (where publication.topic_arn = ${live}::text) as matches,
        bool_or(publication.digest <> sha256(convert_to(event.payload, 'UTF8'))
          and (event.erased_at is null or
            encode(publication.digest, 'hex') is distinct from event.erased_digest))
          filter (where publication.topic_arn = ${live}::text) as differs
      from publication where publication.source = event.source and publication.event_id = event.id
    ) as acceptance on true
    order by work.invoice_id`;
});

/** The facts of every payment of the certificate, in batches, in id order. */
export async function* readFacts(
  db: Database,
  source: ReconcileSource,
  lists: CertifiedLists,
): AsyncGenerator<PaymentFacts[], void, undefined> {
  for (let after = NIL_UUID; ; ) {
    const given = { ...lists, of: source, after };
    const facts = await inKeyOrder(db, (trx) => statement.execute(trx, given));
    const last = facts.at(-1);
    if (last === undefined) return;
    yield facts;
    if (facts.length < BATCH) return;
    after = last.invoiceId;
  }
}
