import { type Kysely, type RawBuilder, sql } from "kysely";
import { returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import { DAY_MS } from "../../kit/days.ts";
import { inPayload } from "../../outbox/event-payload.ts";
import { tellsOfPayment } from "../../outbox/event-state.ts";
import { comparable, hasStatus } from "../../payments/stored-payments.ts";
import { eachDay, type PaidWindow } from "../list/list-period.ts";
import type { ReconcileSource } from "../reconcile-source.ts";

/**
 * Adds what the lists did not show but the books have for the period: stored payments, events without a paid
 * invoice, and confirmations that wait for a person. Day by day, so that no statement takes long.
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
  const paid = hasStatus(sql`${comparable(source.paidStatuses)}`);
  for (const { from, to } of eachDay(window))
    await add(sql`
      select id from invoice
      where source = ${source.name} and paid_at >= ${from} and paid_at < ${to} and ${paid}`);
  // An invoice without a date, or with one in the future, may belong to any period.
  await add(sql`
    select id from invoice
    where source = ${source.name} and ${paid} and ((paid_at is null
      and coalesce(created_at, confirmed_at) < ${window.to} and confirmed_at >= ${window.from})
      or paid_at > ${now})`);
  // No event is older than its payment.
  for (const { from, to } of eachDay({ from: window.from, to: now }))
    await add(sql`
      select event.invoice_id as id from event
      left join invoice on invoice.source = event.source and invoice.id = event.invoice_id
      where event.source = ${source.name} and event.created_at >= ${from} and event.created_at < ${to}
        and ${tellsOfPayment} and not coalesce(${paid} and invoice.paid_at is not null
          and ${inPayload("paidAt")} = ${isoOf(sql`invoice.paid_at`)}, false)`);
  const opened = sql`opened_at >= ${window.from} and opened_at < ${new Date(window.to.getTime() + DAY_MS)}`;
  await add(sql`
    select invoice_id as id from confirmation
    where source = ${source.name} and ${opened} and (state = 'dead' or verdict = 'quarantined')`);
}

/** A time in the format of the events. */
const isoOf = (moment: RawBuilder<unknown>) => sql`
  to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

interface Asking {
  source: ReconcileSource;
  certificateId: string;
  deep: boolean;
  after: string;
  limit: number;
}

const selecting = new Statement({ id: returned.uuid }, ({ value }: Slots<Asking>) => {
  const isPaid = hasStatus(value(({ source }) => comparable(source.paidStatuses)));
  return sql`
    select work.invoice_id as id from listed_payment as work
    left join invoice on invoice.source = ${value(({ source }) => source.name)}
      and invoice.id = work.invoice_id
    where work.certificate_id = ${value(({ certificateId }) => certificateId)}
      and work.invoice_id > ${value(({ after }) => after)}::uuid and work.asked is null
      and (${value(({ deep }) => deep)}
        or (not work.listed and coalesce(${isPaid}, false))
        or (work.listed and (work.lacks_amount or (work.test and not work.live and invoice.type is null)
          or (invoice.erased_at is not null and lower(btrim(invoice.type)) = 'test')
          or (work.lacks_status and not coalesce(${isPaid}, false)))))
    order by work.invoice_id limit ${value(({ limit }) => limit)}`;
});

/**
 * The next invoices, in id order, to ask about one by one: those that the lists leave open.
 */
export async function toAsk(
  db: Kysely<Tables>,
  source: ReconcileSource,
  certificateId: string,
  rest: { deep: boolean; after: string; limit: number },
): Promise<string[]> {
  const rows = await selecting.execute(db, { source, certificateId, ...rest });
  return rows.map(({ id }) => id);
}
