import { type RawBuilder, sql } from "kysely";
import {
  ALARM,
  type Alarm,
  type Alarms,
  clearAlarms,
  ENDED_ALARM,
  type EndedAlarm,
  raiseAlarms,
} from "../../platform/alarms/index.ts";
import { hasRoom, insertHistory, isNotedVerdict } from "../../platform/audit/index.ts";
import {
  boolean,
  type Columns,
  type Database,
  float,
  GroupCommit,
  indexedText,
  integer,
  isIn,
  isLookedUp,
  json,
  nullable,
  numeric,
  type ResultOf,
  returned,
  type Slots,
  Statement,
  text,
  time,
  uuid,
} from "../../platform/database/index.ts";
import { failpoint } from "../../platform/process/index.ts";
import { joinHealthyTopic } from "../../platform/upstreams/index.ts";
import { newId } from "../../platform/values/index.ts";
import { type Handoff, type Lease, leaseEnd } from "../../platform/worker/index.ts";
import {
  type ClaimedEvent,
  insertEvents,
  type OutboxState,
  queueEvents,
  queueOf,
  type Route,
} from "../publish/index.ts";
import type { Outcome } from "./decide.ts";
import type { NewEvent } from "./paid-event.ts";
import { nextAsk } from "./queue/open.ts";

interface OutcomeStoreOptions {
  db: Database;
  alarms: Alarms;
  /** Called after each commit that left events for others to claim. */
  onEvents: () => void;
  /** To a publisher in this process; null: all new events are left due. */
  handoff: Handoff<ClaimedEvent> | null;
  routes: readonly Route[];
}

/**
 * Writes answers as they arrive, in micro-batches, so that one slow GET delays no other answer. Each batch is
 * one transaction of verdict, invoice, snapshot, event and alarms; a batch with a bad row is split until that
 * row stands alone.
 */
export class OutcomeStore {
  readonly #commits: GroupCommit<Outcome>;

  constructor(options: OutcomeStoreOptions) {
    const topics = new Map(options.routes.map((route) => [queueOf(route), route.topicArn]));
    this.#commits = new GroupCommit({
      write: (outcomes) => write(outcomes, topics, options),
      maxBatch: 128,
      maxInFlight: 2,
      maxWaiting: Number.POSITIVE_INFINITY,
    });
  }

  /**
   * Resolves once it is committed, or once the lease proves to be lost, which is no error: then another
   * worker has it.
   */
  store(outcome: Outcome): Promise<void> {
    return this.#commits.add(outcome);
  }
}

async function write(
  outcomes: readonly Outcome[],
  topics: ReadonlyMap<string, string>,
  { db, handoff, onEvents, alarms }: OutcomeStoreOptions,
): Promise<void> {
  const addressed: OutcomeToDispatch[] = [];
  let reserved = 0;
  for (const outcome of outcomes) {
    const queue = queueOfEvent(outcome);
    const topic = (queue === null ? null : topics.get(queue)) ?? null;
    const hasRoom = queue !== null && topic !== null && handoff?.reserve(queue) === true;
    if (hasRoom) reserved += 1;
    addressed.push({ ...outcome, handTo: hasRoom ? topic : null });
  }
  const leaseToken = newId();
  const since = performance.now();
  const claimed: ClaimedEvent[] = [];
  try {
    failpoint("outcomes to be stored");
    const rows = await execute(db, { outcomes: addressed, leaseToken, lease: handoff?.lease ?? null });
    failpoint("outcomes stored");
    const byLease = new Map(rows.map((row) => [leaseKey(row), row]));
    const raised: Alarm[] = [];
    for (const outcome of addressed) {
      const row = byLease.get(leaseKey(outcome));
      if (row === undefined) continue;
      raised.push(...raisedBy(outcome));
      if (outcome.event !== null && row.eventState === "claimed")
        claimed.push(
          claimedEvent(outcome, outcome.event, row, { leaseToken, topicArn: outcome.handTo ?? "" }),
        );
    }
    if (rows.some(({ eventState }) => eventState === "due")) onEvents();
    alarms.notify(raised);
  } finally {
    if (reserved > 0) handoff?.take(claimed, reserved, since);
  }
}

function execute(db: Database, batch: OutcomeBatch) {
  const raises = batch.outcomes.flatMap(raisedBy);
  const clears = batch.outcomes.flatMap(({ invoiceId, source, clears }) =>
    clears.map((name) => ({ name, source, subject: invoiceId })),
  );
  return raises.length + clears.length === 0
    ? storeOutcomes.execute(db, batch)
    : storeOutcomesAndAlarm.execute(db, { ...batch, raises, clears });
}

const raisedBy = ({ invoiceId, source, raises }: Outcome): Alarm[] =>
  raises.map((alarm) => ({ ...alarm, source, subject: invoiceId }));

const claimedEvent = (
  { invoiceId, source }: Outcome,
  { id, type, invoiceType, collectionName, payload, traceparent }: NewEvent,
  { callbackId, requestedAt }: ResultOf<typeof storeOutcomes>,
  { leaseToken, topicArn }: Pick<ClaimedEvent, "leaseToken" | "topicArn">,
): ClaimedEvent => ({
  ...{ id, type, invoiceType, collectionName, payload, invoiceId, source, leaseToken, attempt: 0 },
  ...{ callbackId, requestedAt, traceparent, topicArn, replayId: null },
});

/** A commit of callbacks dispatches under one token, even an invoice of two sources. */
const leaseKey = ({ invoiceId, source, leaseToken }: Pick<Outcome, "invoiceId" | "source" | "leaseToken">) =>
  `${invoiceId} ${source} ${leaseToken}`;

/** null where there is nothing to be sent. */
const queueOfEvent = ({ source, event }: Outcome): string | null =>
  event === null || event.state === "held" ? null : queueOf({ source, invoiceType: event.invoiceType });

// The one transaction of an answer, whole: a statement of several steps. `answer` is what is to be written;
// `held` is those of its rows whose lease still holds, and every step after that reads nothing but `held`.
// The benchmarks put some of the steps to use behind other queues.

/** An outcome, and the topic that this process sends its event to; null leaves the event due. */
type OutcomeToDispatch = Outcome & { handTo: string | null };

interface OutcomeBatch {
  outcomes: readonly OutcomeToDispatch[];
  /** The lease of dispatched events. */
  leaseToken: string;
  /** null when nothing is dispatched. */
  lease: Lease | null;
}

interface AlarmingBatch extends OutcomeBatch {
  raises: readonly Alarm[];
  clears: readonly EndedAlarm[];
}

const CONFIRMATION: Columns<Outcome> = {
  invoice_id: uuid((outcome) => outcome.invoiceId),
  source: text((outcome) => outcome.source),
  lease_token: uuid((outcome) => outcome.leaseToken),
  requests: integer((outcome) => outcome.requests),
  state: text((outcome) => outcome.state),
  verdict: text((outcome) => outcome.verdict),
  due_in_ms: float((outcome) => outcome.dueInMs),
  priority: text((outcome) => outcome.priority),
  attempt: integer((outcome) => outcome.attempt),
  faults: integer((outcome) => outcome.faults),
  covered: boolean((outcome) => outcome.covered),
  last_error: text((outcome) => outcome.lastError),
  last_answer: text((outcome) => outcome.lastAnswer),
  keeps_evidence: boolean((outcome) => outcome.keepsEvidence),
};

/** All null when the answer holds no invoice. */
export const INVOICE: Columns<Pick<Outcome, "invoice">> = {
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
  reference: indexedText(({ invoice }) => invoice?.reference ?? null),
  payment_method: text(({ invoice }) => invoice?.paymentMethod ?? null),
  service_fee_payer: text(({ invoice }) => invoice?.serviceFeePayer ?? null),
  digest: text(({ invoice }) => invoice?.digest ?? null),
  document: json(({ invoice }) => invoice?.document ?? null),
};

/** All null when no event follows from the answer. */
export const EVENT: Columns<Pick<OutcomeToDispatch, "event" | "handTo">> = {
  event_id: uuid(({ event }) => event?.id ?? null),
  event_type: text(({ event }) => event?.type ?? null),
  event_invoice_type: text(({ event }) => event?.invoiceType ?? null),
  event_collection_name: text(({ event }) => event?.collectionName ?? null),
  event_state: text(({ event }) => event?.state ?? null),
  event_payload: text(({ event }) => event?.payload ?? null),
  event_traceparent: text(({ event }) => event?.traceparent ?? null),
  hand_to: text(({ handTo }) => handTo),
};

const ANSWER: Columns<OutcomeToDispatch> = { ...CONFIRMATION, ...INVOICE, ...EVENT };

/**
 * Which answers' leases still hold is decided first, under lock and in invoice order, and everything else is
 * written for those only (G6).
 */
const writeAnswers = ({ table, value }: Slots<OutcomeBatch>) => sql`
  with answer as materialized (
    select * from ${table("answer", ANSWER, ({ outcomes }) => outcomes)}),
  held as (${updateConfirmations}),
  noted as (${insertHistory(lostToHistory)}),
  snapshots as (${insertSnapshots}),
  replaced as (${replaceInvoices}),
  stored as (${insertInvoices}),
  logged as (${insertEventsOnHold}),
  queued as (${queueLogged(
    value(({ leaseToken }) => leaseToken),
    value(({ lease }) => lease?.ms ?? 0),
  )})`;

/**
 * The update takes the lock: to lock a row first would log 54 bytes more for each answer. A request that came
 * while the provider was being asked is not covered by the answer: it is asked again.
 *
 * Two rows of one batch may be about one confirmation, an old worker's and a new one's; they never both hold
 * its lease. Only a claimed row has a lease token (confirmation_lease_check); asking for the state as well
 * would lead Postgres to the index of claimed rows, where it meets all that were claimed since the last vacuum.
 */
const updateConfirmations: RawBuilder<unknown> = sql`
  update confirmation as known set
    state = case when known.requests > own.requests then 'due' else own.state end,
    due_at = case when known.requests > own.requests then ${nextAsk}
      else clock_timestamp() + own.due_in_ms * interval '1 ms' end,
    attempt = case when known.requests > own.requests then 0 else own.attempt end,
    open_since = case when not own.covered then coalesce(known.open_since, known.due_at)
      when known.requests > own.requests then known.asked_at end,
    settled_at = case when own.state = 'due' then known.settled_at else clock_timestamp() end,
    lease_token = null, claimed_until = null,
    verdict = own.verdict, priority = own.priority, faults = own.faults,
    last_error = own.last_error,
    last_answer = coalesce(own.last_answer, case when own.keeps_evidence then known.last_answer end)
  from (
    select answer.*, before.settled_at as settled_before, before.verdict as verdict_before,
      (select invoice.id from invoice where invoice.source = answer.source and invoice.id = answer.invoice_id)
        is not null as is_stored
    from answer cross join lateral (select * from confirmation
      where confirmation.invoice_id = answer.invoice_id and confirmation.source = answer.source limit 1) as before
    order by answer.invoice_id, answer.source) as own
  where ${isLookedUp("known.invoice_id", "own.invoice_id")} and ${isLookedUp("known.source", "own.source")}
    and known.lease_token = own.lease_token
  returning own.*, known.erased_at, known.requested_at, known.callback_id`;

/**
 * The facts that the confirmations are about to lose: an ask without a usable answer, and a verdict that a
 * new one replaces. The error of a confirmation that is done is the reason for its quarantine.
 */
const lostToHistory: RawBuilder<unknown> = sql`
  select invoice_id, source, clock_timestamp() as at, 'ask_failed' as kind, last_error as detail
  from held where last_error is not null and state <> 'done'
    and ${hasRoom(sql`held.invoice_id`, "ask_failed")}
  union all
  select invoice_id, source, settled_before, 'verdict', verdict_before
  from held where settled_before is not null and verdict_before is not null and state <> 'due'
    and not ${isNotedVerdict(sql`held.invoice_id`, sql`held.source`, sql`held.verdict_before`)}`;

/**
 * Answers that differ: an older one as it came, and what a newer one replaces. A statement sees the tables as
 * they were before it, so the replaced row is still there.
 */
export const insertSnapshots: RawBuilder<unknown> = sql`
  insert into invoice_snapshot (invoice_id, source, asked_at, status, digest, document, erased_at)
  select invoice_id, source, asked_at, status, digest, document, erased_at
  from held where differs and not newest
  union all
  select replaced.id, replaced.source, replaced.asked_at, replaced.status, replaced.digest, replaced.document,
    replaced.erased_at
  from held cross join lateral (select * from invoice
    where invoice.source = held.source and invoice.id = held.invoice_id limit 1) as replaced
  where held.differs and held.newest`;

// The newest answers. The holder of a confirmation's lease is the row's only writer, so no row appears after
// `is_stored` was read. With "on conflict" Postgres would log 48 bytes more for each insert.

const { newest: _, differs: __, ...STORED } = INVOICE;
const stored = (columnOf: (name: string) => RawBuilder<unknown>) =>
  sql.join(Object.keys(STORED).map((name) => columnOf(name)));

export const replaceInvoices: RawBuilder<unknown> = sql`
  update invoice as known set ${stored((name) => sql`${sql.ref(name)} = held.${sql.ref(name)}`)},
    erased_at = coalesce(known.erased_at, held.erased_at)
  from held
  where held.newest and held.is_stored and ${isLookedUp("known.source", "held.source")}
    and ${isLookedUp("known.id", "held.invoice_id")}`;

export const insertInvoices: RawBuilder<unknown> = sql`
  insert into invoice (id, source, erased_at, ${stored(sql.ref)})
  select invoice_id, source, erased_at, ${stored(sql.ref)} from held
  where newest and not is_stored`;

/** Events, each with the digest of the answer that it was made from. */
export const insertEventsOnHold: RawBuilder<unknown> = insertEvents(sql`
  select event_id, invoice_id, source, event_type, event_invoice_type, event_collection_name, event_payload,
    digest, erased_at
  from held
  where event_id is not null
  order by invoice_id`);

/**
 * The new events' outbox entries. A dispatched entry is inserted as claimed, which saves a claim; a topic
 * that is paused or backing off is sent no dispatch.
 */
const queueLogged = (leaseToken: RawBuilder<unknown>, leaseMs: RawBuilder<unknown>): RawBuilder<unknown> =>
  queueEvents(sql`
    select held.source, held.event_id, held.event_invoice_type, held.callback_id, held.requested_at,
      held.event_traceparent,
      case when topic.arn is null then held.event_state else 'claimed' end,
      case when topic.arn is not null then ${leaseToken}::uuid end,
      case when topic.arn is not null then ${leaseEnd(leaseMs)} end
    from held ${joinHealthyTopic(sql`held.hand_to`)} and held.event_state = 'due'
    where ${isIn(sql`held.source, held.event_id`, sql`select source, id from logged`)}`);

/** For each outcome whose lease still held: what became of its event; null when it has none that is new. */
const RETURNS = {
  invoiceId: returned.uuid,
  source: returned.text(),
  leaseToken: returned.uuid,
  eventState: nullable(returned.text<OutboxState>()),
  callbackId: nullable(returned.uuid),
  requestedAt: returned.time,
} as const;

const isQueued = (condition: RawBuilder<unknown>) =>
  isIn(sql`held.source, held.event_id`, sql`select source, event_id from queued where ${condition}`);

const selectOnHold = sql`
  select held.invoice_id as "invoiceId", held.source, held.lease_token as "leaseToken",
    case
      when ${isQueued(sql`state = 'claimed'`)} then 'claimed'
      when ${isQueued(sql`state = 'due'`)} then 'due'
      when ${isQueued(sql`true`)} then 'held' end as "eventState",
    held.callback_id as "callbackId", held.requested_at as "requestedAt"
  from held`;

/** Writes outcomes that neither raise nor clear an alarm: nearly all. */
export const storeOutcomes = new Statement(
  RETURNS,
  (slots: Slots<OutcomeBatch>) => sql`${writeAnswers(slots)} ${selectOnHold}`,
);

const isOnHold = (alarm: string) => sql`
  exists (select from held where held.source = ${sql.ref(alarm)}.source
    and held.invoice_id::text = ${sql.ref(alarm)}.subject)`;

/** Writes outcomes together with the alarms that report them (G13). */
const storeOutcomesAndAlarm = new Statement(RETURNS, (slots: Slots<AlarmingBatch>) => {
  const raises = slots.table("raise", ALARM, (batch) => batch.raises);
  const clears = slots.table("ends", ENDED_ALARM, (batch) => batch.clears);
  return sql`${writeAnswers(slots)},
    raised as (${raiseAlarms(sql`select * from ${raises} where ${isOnHold("raise")}`)}),
    cleared as (${clearAlarms(sql`(name, source, subject) in (
      select name, source, subject from ${clears} where ${isOnHold("ends")})`)})
    ${selectOnHold}`;
});
