import { setImmediate as nextTurn } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import {
  type ConfirmationState,
  hasStatus,
  plainColumn,
  plainStatuses,
  readableDocument,
  shownVerdict,
  type Verdict,
} from "../../pipeline/confirm/index.ts";
import { paidEventId } from "../../pipeline/publish/index.ts";
import { callbacksThatName } from "../../pipeline/receive/index.ts";
import { certifiedNames } from "../../pipeline/reconcile/index.ts";
import { describedSources, type Settings } from "../../platform/config/index.ts";
import {
  type Database,
  nullable,
  type ResultOf,
  type RowOf,
  returned,
  type Slots,
  Statement,
} from "../../platform/database/index.ts";
import { type BookPeriod, NIL_UUID } from "../../platform/values/index.ts";

export interface BookSource {
  name: string;
  /** The zone of its days (BOOKS_TIME_ZONE). */
  zone: string;
  currency: string;
  /** COLLECTION_IDS; empty when none is reconciled. */
  collectionIds: readonly string[];
  /** As they are set. */
  paidStatuses: readonly string[];
}

export const bookSourcesOf = (settings: Settings): BookSource[] =>
  describedSources(settings).map(({ name, booksTimeZone: zone, currency, collectionIds }) => ({
    name,
    zone,
    currency,
    collectionIds,
    paidStatuses: settings.PAID_STATUSES,
  }));

const PAYMENT = {
  invoiceId: returned.uuid,
  reference: nullable(returned.text()),
  /** A person's name. */
  payer: nullable(returned.text()),
  collection: nullable(returned.text()),
  method: nullable(returned.text()),
  amount: nullable(returned.numeric),
  serviceCharge: nullable(returned.numeric),
  vat: nullable(returned.numeric),
  total: nullable(returned.numeric),
  settleable: nullable(returned.numeric),
  paidAt: nullable(returned.time),
  /** When it counts: when it was paid or, where the provider does not say that, created. */
  countedAt: returned.time,
  calledBackAt: nullable(returned.time),
  confirmedAt: returned.time,
  publishedAt: nullable(returned.time),
  messageId: nullable(returned.text()),
};

const READ = {
  ...PAYMENT,
  state: nullable(returned.text<ConfirmationState>()),
  verdict: nullable(returned.text<Verdict>()),
  at: nullable(returned.text()),
  /** Whether it is a payment; what is none is there so that pages end where they were read to. */
  counts: returned.boolean,
};

/**
 * A payment of the books: a Live invoice that the provider's last answer calls paid. An invoice in quarantine, or
 * dismissed there, belongs to another merchant; so does a released one, unless its collection is one of the source's
 * own by now.
 */
export type Payment = RowOf<typeof PAYMENT> & { source: BookSource; verdict: string | null };

interface PaymentsQuery extends BookPeriod {
  source: BookSource;
  /** The collection's name, as it appears in invoices. */
  collection?: string | undefined;
  /** Only what is summed: when it was called back and published, which is looked up for each, is left out. */
  forSums?: boolean | undefined;
  after: { at: string; id: string };
  /** The names of the source's own collections; null when it has no restriction. */
  ownNames: readonly string[] | null;
}

const PAGE = 1_000;
/** Few enough that what is made of them holds up nothing else that the process does (G12). */
const ROWS_IN_ONE_TURN = 100;

const isPayment = ({ value }: Slots<PaymentsQuery>): RawBuilder<unknown> => sql`
  ${hasStatus(value(({ source }) => plainStatuses(source.paidStatuses)))}
  and coalesce(${plainColumn("invoice.type")}, '') <> 'test'
  and not coalesce((select decided.verdict = 'quarantined' or (decided.released_at is not null
        and not coalesce(invoice.collection_name = any(${value(({ ownNames }) => ownNames)}::text[]),
          ${value(({ ownNames }) => ownNames === null)}::boolean))
      from confirmation as decided
      where decided.source = invoice.source and decided.invoice_id = invoice.id), false)`;

/**
 * @param chosen the rows of `invoice` to take, in the order of `place`
 * @param counts which of them are payments.
 */
function payments(
  { value }: Slots<PaymentsQuery>,
  chosen: RawBuilder<unknown>,
  place: RawBuilder<unknown>,
  counts: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const collection = value((given) => given.collection ?? null);
  const whole = sql`${value(({ forSums = false }) => !forSums)}::boolean`;
  return sql`
    select invoice.id as "invoiceId", invoice.reference,
      ${readableDocument(sql`invoice.document`)} ->> 'payerName' as payer,
      invoice.collection_name as collection, invoice.payment_method as method, invoice.amount,
      invoice.service_charge as "serviceCharge", invoice.vat, invoice.total_amount as total,
      invoice.settleable_amount as settleable, invoice.paid_at as "paidAt",
      coalesce(invoice.paid_at, invoice.created_at, invoice.confirmed_at) as "countedAt",
      case when ${whole} then (select min(received_at) from ${callbacksThatName(sql`invoice.id`)}
        where callback.source = invoice.source) end as "calledBackAt",
      invoice.confirmed_at as "confirmedAt", accepted.published_at as "publishedAt",
      accepted.message_id as "messageId", confirmation.state, confirmation.verdict,
      invoice.paid_at::text as at, ${counts} as counts
    from (
      select * from invoice
      where source = ${value(({ source }) => source.name)} and ${chosen}
        and (${collection}::text is null or collection_name = ${collection})
      order by ${place} limit ${PAGE}) as invoice
    left join confirmation on confirmation.source = invoice.source and confirmation.invoice_id = invoice.id
    left join lateral (
      select publication.published_at, publication.message_id
      from event join publication on publication.source = event.source
        and publication.event_id = event.id and publication.replay_id is null
      where ${whole} and event.source = invoice.source and event.id = ${paidEventId(sql`invoice.id`)}
      order by publication.id limit 1) as accepted on true
    order by ${place}`;
}

/**
 * Nearly all that has a time of payment is a payment, which Postgres cannot know of these conditions: were they among
 * those of a page, it would sort all that is left of the period for each.
 */
const selectDated = new Statement(READ, (slots: Slots<PaymentsQuery>) => {
  const { value } = slots;
  const at = value(({ after }) => after.at);
  return payments(
    slots,
    sql`paid_at >= ${at}::timestamptz and paid_at < ${value(({ to }) => to)}
      and (paid_at, id) > (${at}::timestamptz, ${value(({ after }) => after.id)}::uuid)`,
    sql`invoice.paid_at, invoice.id`,
    isPayment(slots),
  );
});

/** Payments without a date of payment count when they were created, as in certificates. */
const selectUndated = new Statement(READ, (slots: Slots<PaymentsQuery>) => {
  const { value } = slots;
  return payments(
    slots,
    sql`paid_at is null and id > ${value(({ after }) => after.id)}::uuid
      and coalesce(created_at, confirmed_at) >= ${value(({ from }) => from)}
      and coalesce(created_at, confirmed_at) < ${value(({ to }) => to)} and ${isPayment(slots)}`,
    sql`invoice.id`,
  );
});

/**
 * The payments of one source in a period, those without a date first, then by the time of payment. Read page by
 * page: the cost of each is the same, however long the period.
 */
export async function* readPayments(
  db: Database,
  given: Omit<PaymentsQuery, "after" | "ownNames">,
): AsyncGenerator<Payment, void, undefined> {
  const { name, collectionIds } = given.source;
  const ownNames = await certifiedNames(db, name, collectionIds);
  for (const select of [selectUndated, selectDated]) {
    for (let after = { at: given.from.toISOString(), id: NIL_UUID }; ; ) {
      const rows = await select.execute(db, { ...given, after, ownNames });
      for (const [index, row] of rows.entries()) {
        if (index % ROWS_IN_ONE_TURN === 0) await nextTurn();
        if (row.counts) yield paymentOf(row, given.source);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) break;
      after = { at: last.at ?? after.at, id: last.invoiceId };
    }
  }
}

function paymentOf(
  { at: _, counts: __, state, verdict, ...row }: ResultOf<typeof selectDated>,
  source: BookSource,
): Payment {
  return { ...row, source, verdict: state === null ? null : shownVerdict({ state, verdict }) };
}
