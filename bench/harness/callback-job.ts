import type pg from "pg";
import { CollectionClient } from "../../src/collection-api/index.ts";
import { judge } from "../../src/confirm/judge.ts";
import type { Rules } from "../../src/confirm/rules.ts";
import { entryOf } from "../../src/publish/entry.ts";
import type { ConfirmedInvoice, NewEvent } from "../../src/store/settlement.ts";
import { PublishBatcher } from "./publish-batcher.ts";
import { TOPIC_ARN } from "./sample-payment.ts";

const RULES: Rules = {
  paidStatuses: new Set(["paid"]),
  invalidStatuses: new Set(["invalidated"]),
  collectionNames: null,
  hasTestTopic: false,
  personalData: "full",
  timeZone: "UTC",
};

/** Invoice, snapshot, verdict and event in one transaction; safe to repeat. */
const STORE = `
  with verdict as (
    insert into confirmation (invoice_id, source, lane, opened_by, opened_at, requested_at, due_at, settled_at, state, verdict)
    values ($1, 'default', 'known', 'callback', clock_timestamp(), clock_timestamp(), clock_timestamp(), clock_timestamp(), 'done', 'paid')
    on conflict (invoice_id, source) do update set state = 'done', verdict = 'paid', lane = 'known', settled_at = clock_timestamp()),
  stored as (
    insert into invoice as known (id, source, created_at, modified_at, paid_at, asked_at, confirmed_at, amount, service_charge, vat,
      total_amount, settleable_amount, status, type, collection_name, title, reference, payment_method, service_fee_payer, digest, document)
    values ($1, 'default', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
    on conflict (id) do update set modified_at = excluded.modified_at, asked_at = excluded.asked_at, status = excluded.status,
      digest = excluded.digest, document = excluded.document
    where excluded.modified_at >= known.modified_at),
  kept as (
    insert into invoice_snapshot (invoice_id, source, asked_at, status, digest, document)
    select $1, 'default', $5, $12, $19, $20
    where not exists (select from invoice_snapshot where invoice_id = $1 and digest = $19)),
  added as (
    insert into event (id, invoice_id, source, type, invoice_type, collection_name, payload)
    values ($21, $1, 'default', $22, $23, $14, $24)
    on conflict do nothing returning state)
  select state from added union all select state from event where id = $21`;

const PUBLISHED = `
  with accepted as (select * from unnest($1::uuid[], $2::text[]) as a (event_id, message_id)),
  settled as (
    update event set state = 'published', attempt = attempt + 1, published_at = clock_timestamp()
    from accepted where event.id = accepted.event_id)
  insert into publication (event_id, topic_arn, message_id) select event_id, '${TOPIC_ARN}', message_id from accepted`;

export interface CallbackJobOptions {
  pool: pg.Pool;
  providerUrl: string;
  snsUrl: string;
  /** The most GETs at a time. */
  connections: number;
  /** How long an event waits for others to share its PublishBatch, in ms. */
  lingerMs: number;
}

/**
 * What a job queue runs for one callback: ask, judge, store, publish. It is the relay's own reading and judging, so
 * that only the way of queueing and writing differs, and it throws whenever the queue should run it again.
 */
export function createCallbackJob(options: CallbackJobOptions): (invoiceId: string) => Promise<void> {
  const { pool, providerUrl, snsUrl, connections, lingerMs } = options;
  const client = new CollectionClient({
    baseUrl: providerUrl,
    apiKey: "bench-api-key",
    connections,
    retries: 0,
  });
  const batcher = new PublishBatcher({
    snsUrl,
    lingerMs,
    onAccepted: async (messageIds) => {
      const values = [[...messageIds.keys()], [...messageIds.values()]];
      await pool.query({ name: "published", text: PUBLISHED, values });
    },
  });
  return async (invoiceId) => {
    const question = questionOf(invoiceId);
    const { invoice, document } = await client.getInvoice(invoiceId);
    const answer = { kind: "found" as const, invoice, document, receivedAt: new Date() };
    const { settlement } = judge(question, answer, RULES, 0.5);
    if (settlement.invoice === null || settlement.event === null)
      throw new Error("not paid yet: ask again later");
    const values = valuesOf(invoiceId, settlement.invoice, settlement.event);
    const { rows } = await pool.query({ name: "store", text: STORE, values });
    if (rows[0]?.state === "published") return;
    const { entry } = entryOf({ ...settlement.event, invoiceId, source: "default" }, TOPIC_ARN);
    const outcome = await batcher.publish(entry);
    if (outcome.kind !== "accepted") throw new Error(outcome.error);
  };
}

const questionOf = (invoiceId: string) => ({
  invoiceId,
  source: "default",
  leaseToken: "",
  lane: "known" as const,
  requests: 1,
  attempt: 0,
  faults: 0,
  verdict: null,
  released: false,
  hasEvidence: false,
  erased: false,
  recordOnly: false,
  askedAt: new Date(),
  known: null,
});

const valuesOf = (invoiceId: string, i: ConfirmedInvoice, e: NewEvent): unknown[] => [
  invoiceId,
  ...[i.createdAt, i.modifiedAt, i.paidAt, i.askedAt, i.confirmedAt],
  ...[i.amount, i.serviceCharge, i.vat, i.totalAmount, i.settleableAmount],
  ...[
    i.status,
    i.type,
    i.collectionName,
    i.title,
    i.reference,
    i.paymentMethod,
    i.serviceFeePayer,
    i.digest,
    i.document,
  ],
  ...[e.id, e.type, e.invoiceType, e.payload],
];
