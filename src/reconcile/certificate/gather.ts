import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../../database/tables.ts";
import { hasStatus } from "../../payments/stored-payments.ts";
import { DAY_MS, type PaidWindow } from "../list/list-period.ts";
import type { ReconcileSource } from "../reconcile-source.ts";

/**
 * Adds to what the lists showed what only the books know of the period: payments that are stored, events
 * without a paid invoice, and confirmations that wait for a person. Day by day, so that no statement takes
 * long.
 */
export async function gatherBooks(
  db: Kysely<Tables>,
  source: ReconcileSource,
  certificateId: string,
  window: PaidWindow,
  now: Date,
): Promise<void> {
  const add = async (rows: RawBuilder<unknown>) => {
    await sql`
      insert into listed_payment (certificate_id, invoice_id)
      select distinct ${certificateId}::uuid, id from (${rows}) as found
      on conflict do nothing`.execute(db);
  };
  const paid = hasStatus(source.paidStatuses);
  for (const { from, to } of days(window))
    await add(sql`
      select id from invoice
      where source = ${source.name} and paid_at >= ${from} and paid_at < ${to} and ${paid}`);
  // An invoice that lost its date, or whose date lies ahead, may belong to any period.
  await add(sql`
    select id from invoice
    where source = ${source.name} and ${paid} and ((paid_at is null
      and coalesce(created_at, confirmed_at) < ${window.to} and confirmed_at >= ${window.from})
      or paid_at > ${now})`);
  // No event is older than its payment.
  for (const { from, to } of days({ from: window.from, to: now }))
    await add(sql`
      select event.invoice_id as id from event
      left join invoice on invoice.source = event.source and invoice.id = event.invoice_id
      where event.source = ${source.name} and event.created_at >= ${from} and event.created_at < ${to}
        and event.type = 'invoice.paid' and not coalesce(${paid} and invoice.paid_at is not null
          and substring(event.payload from '"paidAt":"([^"]*)"') = ${isoOf(sql`invoice.paid_at`)}, false)`);
  const opened = sql`opened_at >= ${window.from} and opened_at < ${new Date(window.to.getTime() + DAY_MS)}`;
  await add(sql`
    select invoice_id as id from confirmation
    where source = ${source.name} and ${opened} and (state = 'dead' or verdict = 'quarantined')`);
}

/** A moment as the events write it. */
const isoOf = (moment: RawBuilder<unknown>) => sql`
  to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

function* days({ from, to }: PaidWindow): Generator<PaidWindow> {
  for (let start = from; start < to; ) {
    const end = new Date(Math.min(start.getTime() + DAY_MS, to.getTime()));
    yield { from: start, to: end };
    start = end;
  }
}

/**
 * Which invoices are asked about one by one, in order of id, after the given one: those that the lists leave
 * open.
 */
export async function toAsk(
  db: Kysely<Tables>,
  source: ReconcileSource,
  certificateId: string,
  { deep, after, limit }: { deep: boolean; after: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select work.invoice_id as id from listed_payment as work
    left join invoice on invoice.source = ${source.name} and invoice.id = work.invoice_id
    where work.certificate_id = ${certificateId} and work.invoice_id > ${after}::uuid and work.asked is null
      and (${deep}
        or (not work.listed and coalesce(${hasStatus(source.paidStatuses)}, false))
        or (work.listed and (work.lacks_amount or (work.test and not work.live and invoice.type is null)
          or (work.lacks_status and not coalesce(${hasStatus(source.paidStatuses)}, false)))))
    order by work.invoice_id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}
