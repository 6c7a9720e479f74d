import { type RawBuilder, sql } from "kysely";
import {
  type Database,
  inKeyOrder,
  nullable,
  type ResultOf,
  returned,
  type Slots,
  Statement,
} from "../../../platform/database/index.ts";
import { type BookPeriod, NIL_UUID, storableText } from "../../../platform/values/index.ts";
import { type Answer, toUtc } from "../../../provider/index.ts";
import {
  classOfStatus,
  hasStatus,
  plainColumn,
  plainStatuses,
  type StatusSets,
  statusSets,
} from "../../confirm/index.ts";
import { inPayload, isPaymentEvent } from "../../publish/index.ts";
import { BEFORE_CREATION_MS, EARLIEST, eachDay } from "../list/list-dates.ts";
import { ListPace, type ListPaceOptions } from "../list/list-pace.ts";
import { ListUnreadable } from "../list/list-reader.ts";
import { decideAsking } from "../list/listed-payment.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import {
  type AskedInvoice,
  addingBooked,
  type CertifiedLists,
  certifiedIds,
  joinListedAndAsked,
  noteAsked,
} from "./asked-payment.ts";

/** Of a confirmation: its last answer decided nothing, and no operator did. */
const hasNoVerdict = sql`
  (known.last_error is not null and known.state <> 'done' and known.dismissed_at is null)`;

/** A time in the format of the events. */
const isoOf = (moment: RawBuilder<unknown>) => sql`
  to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

interface Books extends CertifiedLists {
  /** As `plainStatuses` gives them. */
  paid: readonly string[];
  from: Date;
  to: Date;
  now: Date;
}

const ownedBy = ({ value }: Slots<Books>) => sql`source = ${value(({ source }) => source)}`;
const isPaid = ({ value }: Slots<Books>) => hasStatus(value(({ paid }) => paid));
const within = ({ value }: Slots<Books>, at: RawBuilder<unknown>) =>
  sql`${at} >= ${value(({ from }) => from)} and ${at} < ${value(({ to }) => to)}`;

const addPaid = addingBooked(
  (slots: Slots<Books>) => sql`
    select id from invoice
    where ${ownedBy(slots)} and ${within(slots, sql`paid_at`)} and ${isPaid(slots)}`,
);

// An invoice without a date, or with an impossible one, may belong to any period.
const addUndated = addingBooked((slots: Slots<Books>) => {
  const { value } = slots;
  return sql`
    select id from invoice
    where ${ownedBy(slots)} and ${isPaid(slots)} and (((paid_at is null
      or paid_at < created_at - ${sql.lit(BEFORE_CREATION_MS)}::float8 * interval '1 ms')
      and coalesce(least(created_at, confirmed_at), confirmed_at) < ${value(({ to }) => to)}
      and confirmed_at >= ${value(({ from }) => from)})
      or paid_at > ${value(({ now }) => now)} or paid_at < ${value(() => EARLIEST)})`;
});

// No event is older than its payment.
const addEvents = addingBooked(
  (slots: Slots<Books>) => sql`
    select event.invoice_id as id from event
    left join invoice on invoice.source = event.source and invoice.id = event.invoice_id
    where event.${ownedBy(slots)} and ${within(slots, sql`event.created_at`)}
      and ${isPaymentEvent} and not coalesce(${isPaid(slots)} and invoice.paid_at is not null
        and ${inPayload("paidAt")} = ${isoOf(sql`invoice.paid_at`)}, false)`,
);

// A callback may come long after its payment: Get Invoice says the day of what has no verdict. Each state has
// its index.
const addOpen = addingBooked((slots: Slots<Books>) => {
  const openedSince = sql`opened_at >= ${slots.value(({ from }) => from)}`;
  return sql`
    select invoice_id as id from confirmation as known
    where ${ownedBy(slots)} and ((state = 'dead' and ${openedSince})
      or (verdict = 'quarantined' and ${openedSince})
      or (state = 'due' and ${hasNoVerdict}) or (state = 'claimed' and ${hasNoVerdict}))`;
});

/**
 * Adds what the lists did not show but the books have for the period: stored payments, events without a paid
 * invoice, and confirmations without a verdict. Day by day, so that no statement takes long.
 */
export async function gatherBooks(
  db: Database,
  source: ReconcileSource,
  lists: CertifiedLists,
  window: BookPeriod,
  now: Date,
): Promise<void> {
  const books: Books = { ...lists, ...window, paid: plainStatuses(source.paidStatuses), now };
  for (const day of eachDay(window)) await addPaid.execute(db, { ...books, ...day });
  await addUndated.execute(db, books);
  for (const day of eachDay({ from: window.from, to: now }))
    await addEvents.execute(db, { ...books, ...day });
  await addOpen.execute(db, books);
}

const ASKED_AT_ONCE = 8;

/**
 * Calls Get Invoice for what the lists leave open. The answers are stored as they arrive, so that an
 * interrupted run can be continued.
 * @throws ListUnreadable or SourcePaused when the provider does not answer.
 */
export async function askInvoices(asking: ListPaceOptions, lists: CertifiedLists): Promise<void> {
  const { db, source } = asking;
  const pace = new ListPace(asking);
  const sets = statusSets(source);
  for await (const ids of idsToAsk(db, source, lists)) {
    const answers = await Promise.all(
      ids.map(async (id) => meaningOf(id, await ask(asking, pace, id), sets, source.timeZone)),
    );
    await noteAsked(db, lists.certificateId, answers);
  }
}

const ask = ({ source, signal }: ListPaceOptions, pace: ListPace, invoiceId: string): Promise<Answer> =>
  pace.call(async () => {
    const answer = await source.provider.askInvoice(invoiceId, { signal });
    if (answer.kind === "found" || answer.kind === "outside_contract") return answer;
    if (answer.kind === "not_found") return answer;
    throw new ListUnreadable(`Invoice ${invoiceId}`, answer);
  });

const MEANING = { paid: "paid", invalid: "not_paid", unpaid: "not_paid", unknown: "unknown" } as const;

const NOTHING = { status: null, type: null, collection: null, amount: null, paidAt: null, createdAt: null };

function meaningOf(invoiceId: string, answer: Answer, sets: StatusSets, timeZone: string): AskedInvoice {
  // A 404 without the provider's own envelope may come from a gateway.
  if (answer.kind === "not_found")
    return { invoiceId, asked: answer.inOwnWords ? "not_found" : "unclear", ...NOTHING };
  if (answer.kind !== "found") return { invoiceId, asked: "unclear", ...NOTHING };
  const { status, type, collectionName, amount, paymentDate, dateCreated } = answer.invoice;
  return {
    invoiceId,
    asked: MEANING[classOfStatus(status, sets)],
    status: storableText(status),
    type: type === null ? null : storableText(type),
    collection: collectionName === null ? null : storableText(collectionName),
    amount,
    paidAt: toUtc(paymentDate, timeZone),
    createdAt: toUtc(dateCreated, timeZone),
  };
}

const BATCH = 1_000;

interface CandidateQuery extends CertifiedLists {
  of: ReconcileSource;
  after: string;
}

const CANDIDATE = {
  id: returned.uuid,
  listed: returned.boolean,
  label: nullable(returned.text()),
  digest: nullable(returned.text()),
  /** It is asked about already, or nothing calls it paid. */
  settled: returned.boolean,
  isPaid: returned.boolean,
  askedDigest: nullable(returned.text()),
  leavesOpen: returned.boolean,
};

const selectCandidates = new Statement(CANDIDATE, (slots: Slots<CandidateQuery>) => {
  const { value } = slots;
  const name = value(({ source }) => source);
  const paidStatuses = value(({ of }) => plainStatuses(of.paidStatuses));
  const isPaid = sql`coalesce(${hasStatus(paidStatuses)}, false)`;
  return sql`
    with work as (${certifiedIds(slots, BATCH)})
    select work.invoice_id as id, listed.invoice_id is not null as listed, listed.label, listed.digest,
      asked.asked is not null or not (listed.invoice_id is not null
        or ${isPaid} or coalesce(${hasNoVerdict}, false)) as settled,
      ${isPaid} as "isPaid", case when known.state = 'done' then known.listed_digest end as "askedDigest",
      listed.amount is null
        or (invoice.erased_at is not null and ${plainColumn("invoice.type")} = 'test')
        or (listed.paid_at is not null and invoice.paid_at is not null
          and (invoice.paid_at at time zone 'UTC')::date not between
            (listed.paid_at at time zone 'UTC')::date
            and (coalesce(listed.paid_until, listed.paid_at) at time zone 'UTC')::date) as "leavesOpen"
    from work
    ${joinListedAndAsked(slots)}
    left join invoice on invoice.source = ${name} and invoice.id = work.invoice_id
    left join confirmation as known on known.source = ${name} and known.invoice_id = work.invoice_id
    order by work.invoice_id`;
});

/**
 * The invoices to ask about one by one, in id order and in small groups: invoices that may be paid and of
 * which the list and the confirmed answer do not both say so. An invoice without a label may have been
 * reversed since.
 */
async function* idsToAsk(
  db: Database,
  source: ReconcileSource,
  lists: CertifiedLists,
): AsyncGenerator<string[], void, undefined> {
  const sets = statusSets(source);
  for (let after = NIL_UUID; ; ) {
    const given = { ...lists, of: source, after };
    const rows = await inKeyOrder(db, (trx) => selectCandidates.execute(trx, given));
    const last = rows.at(-1);
    if (last === undefined) return;
    const ids = rows.filter((row) => !row.settled && isOpen(row, sets)).map(({ id }) => id);
    for (let first = 0; first < ids.length; first += ASKED_AT_ONCE)
      yield ids.slice(first, first + ASKED_AT_ONCE);
    after = last.id;
  }
}

function isOpen(
  { listed, label, digest, isPaid, askedDigest, leavesOpen }: ResultOf<typeof selectCandidates>,
  sets: StatusSets,
): boolean {
  if (!listed || label === null || leavesOpen) return true;
  const saysPaid = classOfStatus(label, sets) === "paid";
  return decideAsking({ saysPaid, digest }, { isPaid, digest: askedDigest }) !== "confirmed";
}
