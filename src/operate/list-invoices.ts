import { type Kysely, type RawBuilder, sql } from "kysely";
import type { ToldVerdict } from "../confirmations/confirmation.ts";
import type { Place, Stretch } from "../database/page.ts";
import { sourcesIn } from "../database/sources-in.ts";
import type { Tables } from "../database/tables.ts";
import { type EventState, eventState, joiningOutbox } from "../outbox/event-state.ts";
import { emailHash, plainEmail } from "../payments/payment.ts";

export interface InvoiceFilters {
  /** The merchant's own, exactly. */
  reference?: string | undefined;
  /** As the provider calls it, compared without case. */
  status?: string | undefined;
  /** The collection's name, as invoices carry it. */
  collection?: string | undefined;
  /** Decimal text: the total, or the amount without charges. */
  amount?: string | undefined;
  source?: string | undefined;
  /** ISO 8601, inclusive: confirmed since; without it and a reference, the last 30 days. */
  from?: string | undefined;
  /** ISO 8601, exclusive. */
  to?: string | undefined;
}

/** One invoice as a list shows it; no personal data. */
export interface ListedInvoice {
  invoiceId: string;
  source: string;
  status: string;
  type: string | null;
  reference: string | null;
  collection: string | null;
  /** Decimal strings. */
  amount: string | null;
  totalAmount: string | null;
  paidAt: Date | null;
  confirmedAt: Date;
  verdict: ToldVerdict | null;
  /** Where its event stands; null when it has none. */
  event: EventState | null;
}

/** `toldVerdict`, where Postgres has to know it. */
const VERDICT = sql`
  case when confirmation.state = 'dead' and coalesce(confirmation.verdict, 'pending') = 'pending'
    then 'dead' else confirmation.verdict end`;

/** The confirmed invoices that all filters match, the last confirmed first. */
export async function listInvoices(
  db: Kysely<Tables>,
  filters: InvoiceFilters,
  limit: number,
): Promise<ListedInvoice[]> {
  const { rows } = await sql<ListedInvoice>`
    with chosen as materialized (
      select * from invoice where ${conditions(filters)} order by confirmed_at desc, id limit ${limit})
    select chosen.id as "invoiceId", chosen.source, chosen.status, chosen.type, chosen.reference,
      chosen.collection_name as collection, chosen.amount, chosen.total_amount as "totalAmount",
      chosen.paid_at as "paidAt", chosen.confirmed_at as "confirmedAt", ${VERDICT} as verdict,
      (select ${eventState} from event ${joiningOutbox}
        where event.source = chosen.source and event.invoice_id = chosen.id limit 1) as event
    from chosen
    left join confirmation on confirmation.source = chosen.source and confirmation.invoice_id = chosen.id
    order by chosen.confirmed_at desc, chosen.id`.execute(db);
  return rows;
}

const LATELY = sql`confirmed_at >= clock_timestamp() - interval '30 days'`;

function conditions(filters: InvoiceFilters): RawBuilder<unknown> {
  const { reference, status, collection, amount, source, from, to } = filters;
  const all = [sql`true`];
  if (reference !== undefined) all.push(sql`reference = ${reference}`);
  if (status !== undefined) all.push(sql`lower(status) = lower(${status})`);
  if (collection !== undefined) all.push(sql`collection_name = ${collection}`);
  if (amount !== undefined) all.push(sql`(total_amount = ${amount}::numeric or amount = ${amount}::numeric)`);
  if (source !== undefined) all.push(sql`source = ${source}`);
  if (from === undefined && reference === undefined) all.push(LATELY);
  if (from !== undefined) all.push(sql`confirmed_at >= ${from}::timestamptz`);
  if (to !== undefined) all.push(sql`confirmed_at < ${to}::timestamptz`);
  return sql.join(all, sql` and `);
}

export interface InvoiceTerms {
  /** Lower case. */
  id?: string | undefined;
  /** The merchant's own, exactly. */
  reference?: string | undefined;
  /** The payer's, whole; compared without case. */
  email?: string | undefined;
  /** Decimal text: the total, or the amount without charges. */
  amount?: string | undefined;
  /** Days of payment, UTC, YYYY-MM-DD, both included. */
  from?: string | undefined;
  to?: string | undefined;
  /** The collection's name, as invoices carry it. */
  collection?: string | undefined;
  verdict?: ToldVerdict | undefined;
  source?: string | undefined;
}

/** The same as a list shows it that may be of invoices which the provider has not confirmed. */
export type FoundInvoice = Omit<ListedInvoice, "status" | "confirmedAt"> & {
  status: string | null;
  confirmedAt: Date | null;
};

const LISTED = sql`
  invoice.status, invoice.type, invoice.reference, invoice.collection_name as collection, invoice.amount,
  invoice.total_amount as "totalAmount", invoice.paid_at as "paidAt", invoice.confirmed_at as "confirmedAt",
  ${VERDICT} as verdict`;

const joiningConfirmation = sql`
  left join confirmation on confirmation.source = invoice.source and confirmation.invoice_id = invoice.id`;

const eventOf = (source: RawBuilder<unknown>, invoiceId: RawBuilder<unknown>) => sql<EventState | null>`
  (select ${eventState} from event ${joiningOutbox}
    where event.source = ${source} and event.invoice_id = ${invoiceId} limit 1)`;

const all = (conditions: RawBuilder<unknown>[]) => sql.join([sql`true`, ...conditions], sql` and `);

/** What no index knows. */
function compared({ amount, collection, verdict, source }: InvoiceTerms): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [];
  if (amount !== undefined)
    conditions.push(sql`(invoice.total_amount = ${amount}::numeric or invoice.amount = ${amount}::numeric)`);
  if (collection !== undefined) conditions.push(sql`invoice.collection_name = ${collection}`);
  if (verdict !== undefined) conditions.push(sql`${VERDICT} = ${verdict}`);
  if (source !== undefined) conditions.push(sql`coalesce(invoice.source, confirmation.source) = ${source}`);
  return sql`coalesce(${all(conditions)}, false)`;
}

const paidBetween = ({ from, to }: InvoiceTerms): RawBuilder<unknown> =>
  all([
    ...(from === undefined ? [] : [sql`invoice.paid_at >= (${from}::date)::timestamp at time zone 'UTC'`]),
    ...(to === undefined ? [] : [sql`invoice.paid_at < (${to}::date + 1)::timestamp at time zone 'UTC'`]),
  ]);

/** Those with this id, reference or address, the last confirmed first. */
export async function invoicesNamed(
  db: Kysely<Tables>,
  terms: InvoiceTerms,
  most: number,
): Promise<FoundInvoice[]> {
  const { id, reference, email } = terms;
  if (id !== undefined) return await invoicesOfId(db, terms, id);
  const { rows } = await sql<FoundInvoice & { email: string | null; document: string | null }>`
    select invoice.id as "invoiceId", invoice.source, ${LISTED},
      ${eventOf(sql`invoice.source`, sql`invoice.id`)} as event,
      case when ${email !== undefined} then invoice.document::text end as document
    from invoice ${joiningConfirmation}
    where ${reference === undefined ? sql`true` : sql`invoice.reference = ${reference}`}
      and ${email === undefined ? sql`true` : sql`invoice.payer_email_hash = ${emailHash(email)}`}
      and ${paidBetween(terms)} and ${compared(terms)}
    order by invoice.confirmed_at desc, invoice.id limit ${most}`.execute(db);
  return rows
    .filter(({ document }) => email === undefined || hasEmail(document, email))
    .map(({ document: _, ...invoice }) => invoice);
}

/** Many addresses share a hash. */
function hasEmail(document: string | null, email: string): boolean {
  const given: unknown = JSON.parse(document ?? "{}")?.payerEmail;
  return typeof given === "string" && plainEmail(given) === plainEmail(email);
}

/** From the confirmations' side, which has those that the provider never confirmed. */
async function invoicesOfId(db: Kysely<Tables>, terms: InvoiceTerms, id: string): Promise<FoundInvoice[]> {
  const { rows } = await sql<FoundInvoice>`
    select ${id}::uuid as "invoiceId", known.source, ${LISTED},
      ${eventOf(sql`known.source`, sql`${id}::uuid`)} as event
    from (select source from confirmation where invoice_id = ${id}
      union select unnest(${sourcesIn("invoice")})) as known
    left join invoice on invoice.source = known.source and invoice.id = ${id}
    left join confirmation on confirmation.source = known.source and confirmation.invoice_id = ${id}
    where (invoice.id is not null or confirmation.invoice_id is not null)
      and ${paidBetween(terms)} and ${compared(terms)}
    order by known.source`.execute(db);
  return rows;
}

type Walked = FoundInvoice & { at: string; place: number; matches: boolean };

/** The next of `most` in the order of payment, the last first. */
export async function invoicesByPayment(
  db: Kysely<Tables>,
  terms: InvoiceTerms,
  after: Place | null,
  most: number,
): Promise<Stretch<FoundInvoice>> {
  const sources = terms.source === undefined ? sourcesIn("invoice") : sql`array[${terms.source}]::text[]`;
  const earlier =
    after === null
      ? sql`true`
      : sql`(invoice.paid_at, invoice.id, invoice.source)
        < (${after.at}::timestamptz, ${after.id}::uuid, ${after.source}::text)`;
  // Source by source, as the index has them.
  const { rows } = await sql<Walked>`
    select judged.*, ${eventOf(sql`judged.source`, sql`judged."invoiceId"`)} as event from (
      select invoice.id as "invoiceId", invoice.source, ${LISTED}, invoice.paid_at::text as at,
        row_number() over (order by invoice.paid_at desc, invoice.id desc, invoice.source desc) as place,
        ${compared(terms)} as matches
      from (
        select invoice.* from unnest(${sources}) as known (source)
        cross join lateral (
          select * from invoice
          where invoice.source = known.source and invoice.paid_at is not null and ${paidBetween(terms)}
            and ${after === null ? sql`true` : sql`invoice.paid_at <= ${after.at}::timestamptz`}
            and ${earlier}
          order by invoice.paid_at desc, invoice.id desc limit ${most}) as invoice
        order by invoice.paid_at desc, invoice.id desc, invoice.source desc limit ${most}) as invoice
      ${joiningConfirmation}) as judged
    where matches or place = ${most} order by place`.execute(db);
  return stretchOf(rows, most);
}

/** The next of `most` whose verdict is not paid, the last asked about first. */
export async function invoicesByRequest(
  db: Kysely<Tables>,
  terms: InvoiceTerms,
  after: Place | null,
  most: number,
): Promise<Stretch<FoundInvoice>> {
  const earlier =
    after === null
      ? sql`true`
      : sql`(opened_at, invoice_id, source)
        < (${after.at}::timestamptz, ${after.id}::uuid, ${after.source}::text)`;
  const stored = terms.verdict === "dead" ? "pending" : terms.verdict;
  const { rows } = await sql<Walked>`
    select judged.*, ${eventOf(sql`judged.source`, sql`judged."invoiceId"`)} as event from (
      select confirmation.invoice_id as "invoiceId", confirmation.source, ${LISTED},
        confirmation.opened_at::text as at,
        row_number() over (order by opened_at desc, invoice_id desc, confirmation.source desc) as place,
        ${all([compared(terms), paidBetween(terms)])} as matches
      from (
        select * from confirmation where verdict = ${stored} and verdict <> 'paid' and ${earlier}
        order by opened_at desc, invoice_id desc, source desc limit ${most}) as confirmation
      left join invoice on invoice.source = confirmation.source and invoice.id = confirmation.invoice_id
      ) as judged
    where matches or place = ${most} order by place`.execute(db);
  return stretchOf(rows, most);
}

function stretchOf(rows: readonly Walked[], most: number): Stretch<FoundInvoice> {
  const placeOf = ({ at, invoiceId: id, source }: Walked): Place => ({ at, id, source });
  const last = rows.at(-1);
  return {
    found: rows
      .filter(({ matches }) => matches)
      .map((row) => {
        const { at: _, place: __, matches: ___, ...invoice } = row;
        return { ...invoice, place: placeOf(row) };
      }),
    end: last?.place === most ? placeOf(last) : null,
  };
}
