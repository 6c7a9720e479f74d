import { type RawBuilder, sql } from "kysely";
import type { ShownVerdict } from "../confirm/queue/confirmation.ts";

/** What is looked for; an omitted term matches everything. */
export interface InvoiceTerms {
  /** Lower case. */
  id?: string | undefined;
  /** What the id of the invoice, or of its event, begins with: eight digits or more. */
  idPrefix?: string | undefined;
  /** Words of the payer's name, in any order and case. */
  payer?: string | undefined;
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
  /** Times of the newest confirmation, ISO 8601: inclusive, exclusive. */
  confirmedFrom?: string | undefined;
  confirmedTo?: string | undefined;
  /** The collection's name, as it appears in invoices. */
  collection?: string | undefined;
  verdict?: ShownVerdict | undefined;
  source?: string | undefined;
}

/** For the test that prepares each shape of a statement. */
export const EVERY_TERM: Required<InvoiceTerms> = {
  id: "",
  idPrefix: "",
  payer: "",
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

/** `shownVerdict`, where Postgres has to know it. */
export const VERDICT = sql`
  case when confirmation.state = 'dead' and coalesce(confirmation.verdict, 'pending') = 'pending'
    then 'dead' else confirmation.verdict end`;

/** All of them hold. */
export const all = (conditions: RawBuilder<unknown>[]) => sql.join([sql`true`, ...conditions], sql` and `);

/** The conditions that no index supports. */
export function compared({
  amount,
  payer,
  status,
  collection,
  verdict,
  source,
  confirmedFrom,
  confirmedTo,
}: InvoiceTerms): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [];
  if (confirmedFrom !== undefined)
    conditions.push(sql`invoice.confirmed_at >= ${confirmedFrom}::timestamptz`);
  if (confirmedTo !== undefined) conditions.push(sql`invoice.confirmed_at < ${confirmedTo}::timestamptz`);
  if (amount !== undefined)
    conditions.push(sql`(invoice.total_amount = ${amount}::numeric or invoice.amount = ${amount}::numeric)`);
  if (payer !== undefined)
    conditions.push(sql`invoice.document->>'payerName' ilike all(${patternsOf(payer)}::text[])`);
  if (status !== undefined) conditions.push(sql`lower(invoice.status) = lower(${status})`);
  if (collection !== undefined) conditions.push(sql`invoice.collection_name = ${collection}`);
  if (verdict !== undefined) conditions.push(sql`${VERDICT} = ${verdict}`);
  if (source !== undefined) conditions.push(sql`coalesce(invoice.source, confirmation.source) = ${source}`);
  return sql`coalesce(${all(conditions)}, false)`;
}

/** One for each word, which may stand anywhere. */
const patternsOf = (words: string): string[] =>
  words
    .trim()
    .split(/\s+/)
    .map((word) => `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`);

/** Paid on these days. */
export const paidBetween = ({ from, to }: InvoiceTerms) =>
  all([
    ...(from === undefined ? [] : [sql`invoice.paid_at >= (${from}::date)::timestamp at time zone 'UTC'`]),
    ...(to === undefined ? [] : [sql`invoice.paid_at < (${to}::date + 1)::timestamp at time zone 'UTC'`]),
  ]);
