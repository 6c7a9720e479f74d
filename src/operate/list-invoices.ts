import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Verdict } from "../confirmations/confirmation.ts";
import type { Tables } from "../database/tables.ts";
import { type EventState, eventState, joiningOutbox } from "../outbox/event-state.ts";

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
  verdict: Verdict | null;
  /** Where its event stands; null when it has none. */
  event: EventState | null;
}

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
      chosen.paid_at as "paidAt", chosen.confirmed_at as "confirmedAt", confirmation.verdict,
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
