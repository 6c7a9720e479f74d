import { type Kysely, type RawBuilder, sql } from "kysely";
import { emailHash, plainEmail } from "../confirm/invoices/confirmed-invoice.ts";
import type { ShownVerdict } from "../confirm/queue/confirmation.ts";
import { sourcesIn } from "../database/expressions.ts";
import { LOOKED_AT, type PagePosition, type PageSlice, sliceOf } from "../database/page.ts";
import { databaseTime } from "../database/server.ts";
import { nullable, type RowOf, returned, VaryingStatement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { NIL_UUID } from "../kit/ids.ts";
import { DAY_MS } from "../kit/time.ts";
import { type EventState, eventState, isPaymentEvent, joinOutbox } from "../publish/event.ts";

/** What is looked for; an omitted term matches everything. */
export interface InvoiceTerms {
  /** Lower case. */
  id?: string | undefined;
  /** The merchant's reference; exact match. */
  reference?: string | undefined;
  /** The payer's full address, in any case. */
  email?: string | undefined;
  /** The provider's status, in any case. */
  status?: string | undefined;
  /** Decimal text: the total, or the amount without charges. */
  amount?: string | undefined;
  /** Days of payment, UTC, YYYY-MM-DD, both inclusive. */
  from?: string | undefined;
  to?: string | undefined;
  /** Days of the newest confirmation, likewise. */
  confirmedFrom?: string | undefined;
  confirmedTo?: string | undefined;
  /** The collection's name, as it appears in invoices. */
  collection?: string | undefined;
  verdict?: ShownVerdict | undefined;
  source?: string | undefined;
}

/** For the test that prepares each shape of a statement. */
const EVERY_TERM: Required<InvoiceTerms> = {
  id: "",
  reference: "",
  email: "",
  status: "",
  amount: "0",
  from: "",
  to: "",
  confirmedFrom: "",
  confirmedTo: "",
  collection: "",
  verdict: "paid",
  source: "",
};

const FOUND = {
  invoiceId: returned.uuid,
  source: returned.text(),
  status: nullable(returned.text()),
  type: nullable(returned.text()),
  reference: nullable(returned.text()),
  collection: nullable(returned.text()),
  amount: nullable(returned.numeric),
  totalAmount: nullable(returned.numeric),
  paidAt: nullable(returned.time),
  confirmedAt: nullable(returned.time),
  verdict: nullable(returned.text<ShownVerdict>()),
  /** The state of its event, and its id; null without one. */
  event: nullable(returned.text<EventState>()),
  eventId: nullable(returned.uuid),
};

/** One invoice as a search shows it; the provider may not have confirmed it yet. No personal data. */
export type FoundInvoice = RowOf<typeof FOUND>;

/** `shownVerdict`, where Postgres has to know it. */
const VERDICT = sql`
  case when confirmation.state = 'dead' and coalesce(confirmation.verdict, 'pending') = 'pending'
    then 'dead' else confirmation.verdict end`;

const LISTED = sql`
  invoice.status, invoice.type, invoice.reference, invoice.collection_name as collection, invoice.amount,
  invoice.total_amount as "totalAmount", invoice.paid_at as "paidAt", invoice.confirmed_at as "confirmedAt",
  ${VERDICT} as verdict`;

const joinConfirmation = sql`
  left join confirmation on confirmation.source = invoice.source and confirmation.invoice_id = invoice.id`;

const eventOf = (source: RawBuilder<unknown>, invoiceId: RawBuilder<unknown>) => {
  const ofEvent = (column: RawBuilder<unknown>, joining = sql``) => sql`
    (select ${column} from event ${joining}
      where event.source = ${source} and event.invoice_id = ${invoiceId} and ${isPaymentEvent} limit 1)`;
  return sql`${ofEvent(eventState, joinOutbox)} as event, ${ofEvent(sql`event.id`)} as "eventId"`;
};

const all = (conditions: RawBuilder<unknown>[]) => sql.join([sql`true`, ...conditions], sql` and `);

/** The conditions that no index supports. */
function compared({
  amount,
  status,
  collection,
  verdict,
  source,
  ...days
}: InvoiceTerms): RawBuilder<unknown> {
  const conditions = daysBetween("confirmed_at", days.confirmedFrom, days.confirmedTo);
  if (amount !== undefined)
    conditions.push(sql`(invoice.total_amount = ${amount}::numeric or invoice.amount = ${amount}::numeric)`);
  if (status !== undefined) conditions.push(sql`lower(invoice.status) = lower(${status})`);
  if (collection !== undefined) conditions.push(sql`invoice.collection_name = ${collection}`);
  if (verdict !== undefined) conditions.push(sql`${VERDICT} = ${verdict}`);
  if (source !== undefined) conditions.push(sql`coalesce(invoice.source, confirmation.source) = ${source}`);
  return sql`coalesce(${all(conditions)}, false)`;
}

const daysBetween = (
  column: "paid_at" | "confirmed_at",
  from: string | undefined,
  to: string | undefined,
): RawBuilder<unknown>[] => {
  const at = sql`invoice.${sql.ref(column)}`;
  return [
    ...(from === undefined ? [] : [sql`${at} >= (${from}::date)::timestamp at time zone 'UTC'`]),
    ...(to === undefined ? [] : [sql`${at} < (${to}::date + 1)::timestamp at time zone 'UTC'`]),
  ];
};

const paidBetween = ({ from, to }: InvoiceTerms) => all(daysBetween("paid_at", from, to));

interface Walk {
  terms: InvoiceTerms;
  after: PagePosition | null;
  most: number;
}

const WALKS: [Walk, ...Walk[]] = [
  { terms: { verdict: "not_paid" }, after: null, most: 1 },
  { terms: EVERY_TERM, after: { at: "", id: "", source: "" }, most: 1 },
];

const selectNamed = new VaryingStatement(
  { ...FOUND, at: returned.text(), document: nullable(returned.text()) },
  ({ terms, after, most }: Walk) => {
    const { reference, email } = terms;
    const earlier =
      after === null
        ? sql`true`
        : sql`(invoice.confirmed_at, invoice.id, invoice.source)
          < (${after.at}::timestamptz, ${after.id}::uuid, ${after.source}::text)`;
    return sql`
      select invoice.id as "invoiceId", invoice.source, ${LISTED},
        ${eventOf(sql`invoice.source`, sql`invoice.id`)}, invoice.confirmed_at::text as at,
        case when ${email !== undefined} then invoice.document::text end as document
      from invoice ${joinConfirmation}
      where ${reference === undefined ? sql`true` : sql`invoice.reference = ${reference}`}
        and ${email === undefined ? sql`true` : sql`invoice.payer_email_hash = ${emailHash(email)}`}
        and ${paidBetween(terms)} and ${compared(terms)} and ${earlier}
      order by invoice.confirmed_at desc, invoice.id desc, invoice.source desc limit ${most}`;
  },
  WALKS,
);

/** Examines the next `most` invoices with this reference or e-mail address, last confirmed first. */
export async function invoicesNamed(
  db: Kysely<Tables>,
  terms: InvoiceTerms,
  after: PagePosition | null,
  most: number,
): Promise<PageSlice<FoundInvoice>> {
  const { email } = terms;
  const rows = await selectNamed.execute(db, { terms, after, most });
  const placed = rows.map(({ document, at, ...invoice }) => {
    const place = { at, id: invoice.invoiceId, source: invoice.source };
    return { document, invoice: { ...invoice, place } };
  });
  return {
    found: placed
      .filter(({ document }) => email === undefined || hasEmail(document, email))
      .map(({ invoice }) => invoice),
    end: rows.length === most ? (placed.at(-1)?.invoice.place ?? null) : null,
  };
}

/** What each source has of one invoice. */
export const invoicesOfId = (db: Kysely<Tables>, terms: InvoiceTerms & { id: string }) =>
  selectById.execute(db, { terms, id: terms.id });

/** Compares the whole address, because several addresses may share a hash. */
function hasEmail(document: string | null, email: string): boolean {
  const given: unknown = JSON.parse(document ?? "{}")?.payerEmail;
  return typeof given === "string" && plainEmail(given) === plainEmail(email);
}

/** Starts from the confirmations, which include invoices that the provider never confirmed. */
const selectById = new VaryingStatement(
  FOUND,
  ({ terms, id }: { terms: InvoiceTerms; id: string }) => sql`
    select ${id}::uuid as "invoiceId", known.source, ${LISTED},
      ${eventOf(sql`known.source`, sql`${id}::uuid`)}
    from (select source from confirmation where invoice_id = ${id}
      union select unnest(${sourcesIn("invoice")})) as known
    left join invoice on invoice.source = known.source and invoice.id = ${id}
    left join confirmation on confirmation.source = known.source and confirmation.invoice_id = ${id}
    where (invoice.id is not null or confirmation.invoice_id is not null)
      and ${paidBetween(terms)} and ${compared(terms)}
    order by known.source`,
  [
    { terms: {}, id: "" },
    { terms: EVERY_TERM, id: "" },
  ],
);

const WALKED = { ...LOOKED_AT, ...FOUND };

// One query for each source, to match the index.
const selectByPayment = new VaryingStatement(
  WALKED,
  ({ terms, after, most }: Walk) => {
    const sources = terms.source === undefined ? sourcesIn("invoice") : sql`array[${terms.source}]::text[]`;
    const earlier =
      after === null
        ? sql`true`
        : sql`(invoice.paid_at, invoice.id, invoice.source)
        < (${after.at}::timestamptz, ${after.id}::uuid, ${after.source}::text)`;
    return sql`
    select judged.*, ${eventOf(sql`judged.source`, sql`judged."invoiceId"`)} from (
      select invoice.paid_at::text as at,
        row_number() over (order by invoice.paid_at desc, invoice.id desc, invoice.source desc) as place,
        ${compared(terms)} as matches, invoice.id as "invoiceId", invoice.source, ${LISTED}
      from (
        select invoice.* from unnest(${sources}) as known (source)
        cross join lateral (
          select * from invoice
          where invoice.source = known.source and invoice.paid_at is not null and ${paidBetween(terms)}
            and ${after === null ? sql`true` : sql`invoice.paid_at <= ${after.at}::timestamptz`}
            and ${earlier}
          order by invoice.paid_at desc, invoice.id desc limit ${most}) as invoice
        order by invoice.paid_at desc, invoice.id desc, invoice.source desc limit ${most}) as invoice
      ${joinConfirmation}) as judged
    where matches or place = ${most} order by place`;
  },
  WALKS,
);

/** Examines the next `most` invoices by payment date, newest first. */
export const invoicesByPayment = async (
  db: Kysely<Tables>,
  terms: InvoiceTerms,
  after: PagePosition | null,
  most: number,
): Promise<PageSlice<FoundInvoice>> =>
  sliceOf(await selectByPayment.execute(db, { terms, after, most }), most, ({ invoiceId }) => invoiceId);

const selectByRequest = new VaryingStatement(
  WALKED,
  ({ terms, after, most }: Walk) => {
    const earlier =
      after === null
        ? sql`true`
        : sql`(opened_at, invoice_id, source)
        < (${after.at}::timestamptz, ${after.id}::uuid, ${after.source}::text)`;
    const stored = terms.verdict === "dead" ? "pending" : terms.verdict;
    return sql`
    select judged.*, ${eventOf(sql`judged.source`, sql`judged."invoiceId"`)} from (
      select confirmation.opened_at::text as at,
        row_number() over (order by opened_at desc, invoice_id desc, confirmation.source desc) as place,
        ${all([compared(terms), paidBetween(terms)])} as matches,
        confirmation.invoice_id as "invoiceId", confirmation.source, ${LISTED}
      from (
        select * from confirmation where verdict = ${stored} and verdict <> 'paid' and ${earlier}
        order by opened_at desc, invoice_id desc, source desc limit ${most}) as confirmation
      left join invoice on invoice.source = confirmation.source and invoice.id = confirmation.invoice_id
      ) as judged
    where matches or place = ${most} order by place`;
  },
  WALKS,
);

/** Examines the next `most` invoices with a verdict other than paid, last requested first. */
export const invoicesByRequest = async (
  db: Kysely<Tables>,
  terms: InvoiceTerms,
  after: PagePosition | null,
  most: number,
): Promise<PageSlice<FoundInvoice>> =>
  sliceOf(await selectByRequest.execute(db, { terms, after, most }), most, ({ invoiceId }) => invoiceId);

/** How much of the order of confirmation one statement reads: its index knows ranges only. */
const SLICE_MS = 7 * DAY_MS;
/** How far back invoices are looked for by confirmation when no day is given. */
const LATELY_MS = 30 * DAY_MS;

interface Slice extends Walk {
  since: Date;
}

const selectByConfirmation = new VaryingStatement(
  WALKED,
  ({ terms, after, most, since }: Slice) => {
    const earlier =
      after === null
        ? sql`true`
        : sql`(confirmed_at, id, source)
        < (${after.at}::timestamptz, ${after.id}::uuid, ${after.source}::text)
        and confirmed_at <= ${after.at}::timestamptz`;
    return sql`
    select judged.*, ${eventOf(sql`judged.source`, sql`judged."invoiceId"`)} from (
      select invoice.confirmed_at::text as at,
        row_number() over (order by invoice.confirmed_at desc, invoice.id desc, invoice.source desc) as place,
        ${compared(terms)} as matches, invoice.id as "invoiceId", invoice.source, ${LISTED}
      from (
        select * from invoice where confirmed_at >= ${since}::timestamptz and ${earlier}
        order by confirmed_at desc, id desc, source desc limit ${most}) as invoice
      ${joinConfirmation}) as judged
    where matches or place = ${most} order by place`;
  },
  [
    { terms: {}, after: null, most: 1, since: new Date(0) },
    { terms: EVERY_TERM, after: { at: "", id: "", source: "" }, most: 1, since: new Date(0) },
  ],
);

/** Examines the next `most` invoices by their newest confirmation, newest first; at most a week of them. */
export async function invoicesByConfirmation(
  db: Kysely<Tables>,
  terms: InvoiceTerms,
  after: PagePosition | null,
  most: number,
): Promise<PageSlice<FoundInvoice>> {
  const { confirmedFrom, confirmedTo } = terms;
  const now = await databaseTime(db);
  const end = confirmedTo === undefined ? +now + DAY_MS : Math.min(+now, Date.parse(confirmedTo)) + DAY_MS;
  const begin = confirmedFrom === undefined ? Math.min(+now, end) - LATELY_MS : Date.parse(confirmedFrom);
  const from = after ?? placeAt(end);
  const since = Math.max(begin, Date.parse(from.at) - SLICE_MS);
  const rows = await selectByConfirmation.execute(db, { terms, after: from, most, since: new Date(since) });
  const stretch = sliceOf(rows, most, ({ invoiceId }) => invoiceId);
  return { ...stretch, end: stretch.end ?? (since > begin ? placeAt(since) : null) };
}

/** Before all that was confirmed at this time or later. */
const placeAt = (ms: number): PagePosition => ({
  // As Postgres writes it, which is what a cursor holds.
  at: new Date(ms).toISOString().replace("T", " ").replace("Z", "+00"),
  id: NIL_UUID,
  source: "",
});
