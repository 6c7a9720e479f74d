import { isDeepStrictEqual } from "node:util";
import { type RawBuilder, sql, type Transaction } from "kysely";
import { ALARM, type Alarm, raiseAlarms } from "../../alarms/alarms.ts";
import { type Columns, json, time, uuid } from "../../database/columns.ts";
import { nullable, type ResultOf, returned, type Slots, Statement } from "../../database/statement.ts";
import type { Database, Tables } from "../../database/tables.ts";
import { bookMonth } from "../../kit/book-days.ts";
import { moneyIn } from "../../kit/money-text.ts";
import { sumOfMoney } from "../../provider/provider.ts";
import type { BookSource } from "../book-source.ts";
import { readPayments, readPaymentsOf } from "../report/read-payments.ts";
import { type Change, differenceOf, type KeptPayment, keptPayment } from "./figures.ts";
import { changedMonth, lockMonths, scopeOf } from "./month-rows.ts";

/** An addendum: one payment of a closed month, before and after; null where it is none of the month. */
export interface MonthChange extends Change {
  invoiceId: string;
  /** When it was written here. */
  changedAt: Date;
}

interface Noted extends MonthChange {
  monthId: string;
}

const takeLate = new Statement(
  { source: returned.text(), invoiceId: returned.uuid, changedAt: returned.time },
  ({ value }: Slots<{ sources: readonly string[]; limit: number }>) => sql`
    delete from late_change where ctid = any(array(
      select ctid from late_change where source = any(${value(({ sources }) => sources)}::text[])
      limit ${value(({ limit }) => limit)} for update skip locked))
    returning source, invoice_id as "invoiceId", changed_at as "changedAt"`,
);

/** A condition: there is something to compare of one of these sources. */
export const lateChangesWait = (sources: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select from late_change where source = any(${sources}))`;

const selectKept = new Statement(
  { monthId: returned.uuid, invoiceId: returned.uuid, kept: nullable(returned.json<KeptPayment>()) },
  ({ value }: Slots<{ monthIds: readonly string[]; invoiceIds: readonly string[] }>) => {
    const among = sql`month_id = any(${value(({ monthIds }) => monthIds)}::uuid[])
      and invoice_id = any(${value(({ invoiceIds }) => invoiceIds)}::uuid[])`;
    return sql`
      select distinct on (month_id, invoice_id) month_id as "monthId", invoice_id as "invoiceId", kept
      from (
        select month_id, invoice_id, 0 as place, json_build_object('collection', collection,
          'amount', amount::text, 'serviceCharge', service_charge::text, 'vat', vat::text,
          'total', total::text, 'settleable', settleable::text) as kept
        from month_payment where ${among}
        union all select month_id, invoice_id, id, after from month_change where ${among}) as known
      order by month_id, invoice_id, place desc`;
  },
);

const NOTED: Columns<Noted> = {
  month_id: uuid(({ monthId }) => monthId),
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  changed_at: time(({ changedAt }) => changedAt),
  before: json(({ before }) => before && JSON.stringify(before)),
  after: json(({ after }) => after && JSON.stringify(after)),
};

const insertChanges = new Statement(
  {},
  ({ table }: Slots<{ noted: readonly Noted[]; alarm: Alarm }>) => sql`
    with noted as (
      insert into month_change (month_id, invoice_id, changed_at, before, after)
      select month_id, invoice_id, changed_at, before, after
      from ${table("noted", NOTED, ({ noted }) => noted)})
    ${raiseAlarms(sql`select alarm.* from ${table("alarm", ALARM, ({ alarm }) => [alarm])}`)}`,
);

/** Whatever was a payment of a month, and these invoices. */
const insertToCompare = new Statement(
  {},
  ({ value }: Slots<{ monthId: string; source: string; invoiceIds: readonly string[] }>) => sql`
    insert into late_change (source, invoice_id)
    select ${value(({ source }) => source)}::text, id from (
      select unnest(${value(({ invoiceIds }) => invoiceIds)}::uuid[]) as id
      union select invoice_id from month_payment where month_id = ${value(({ monthId }) => monthId)}
      union select invoice_id from month_change where month_id = ${value(({ monthId }) => monthId)}) as compared`,
);

const selectClosed = async (trx: Transaction<Tables>, source: string) =>
  await trx
    .selectFrom("month")
    .select(["id", "month", "currency", "scope"])
    .where("source", "=", source)
    .where("reopened_at", "is", null)
    .orderBy("month")
    .execute();
type ClosedRow = Awaited<ReturnType<typeof selectClosed>>[number];

/** A month that was closed by other settings than today's is compared as a whole: one in each pass, for it may be large. */
async function compareBySettings(
  trx: Transaction<Tables>,
  source: BookSource,
  closed: readonly ClosedRow[],
  stop: AbortSignal | undefined,
): Promise<{ raised: Alarm[]; more: boolean }> {
  const scope = closed.length === 0 ? null : await scopeOf(trx, source);
  const [first, next] = closed.filter((month) => month.scope !== scope);
  if (first === undefined || scope === null) return { raised: [], more: false };
  const payments = readPayments(trx, { source, ...bookMonth(first.month, source.zone), forSums: true });
  const invoiceIds: string[] = [];
  for await (const { invoiceId } of payments) {
    if (stop?.aborted === true) return { raised: [], more: true };
    invoiceIds.push(invoiceId);
  }
  await insertToCompare.execute(trx, { monthId: first.id, source: source.name, invoiceIds });
  await trx.updateTable("month").set({ scope }).where("id", "=", first.id).execute();
  const more = next !== undefined;
  if (first.currency === source.currency) return { raised: [], more };
  const alarm = {
    ...changedMonth(source.name, first.month),
    detail: `${inAnotherCurrency(first, source)} Read it with: invoice-relay month show ${first.month}`,
  };
  await insertChanges.execute(trx, { noted: [], alarm });
  return { raised: [alarm], more };
}

const inAnotherCurrency = ({ month, currency }: ClosedRow, source: BookSource): string =>
  `${month} was closed in ${currency}, and CURRENCY is ${source.currency} now.`;

const AT_ONCE = 1_000;

/**
 * Compares what was written of months that are over with what was closed, and notes each difference as an
 * addendum, with the alarm, in one transaction. What is not noted yet waits in `late_change`, which the
 * transaction of the change itself wrote: nothing is missed, whatever dies in between (G13). What changes is judged by
 * today's settings, as reports are: where they are others than those of the closing, that is a change, too.
 * @param stop leaves a month that is compared as a whole to the next pass.
 * @returns the alarms that it wrote, and whether more is waiting.
 */
export const noteMonthChanges = (
  db: Database,
  sources: readonly BookSource[],
  stop?: AbortSignal,
): Promise<{ raised: Alarm[]; more: boolean }> =>
  db.transaction().execute(async (trx) => {
    // A closing under way has read its payments already: what it could not see is compared once it stands.
    await lockMonths(trx);
    const names = sources.map(({ name }) => name);
    const raised: Alarm[] = [];
    let more = false;
    const closedOf = new Map<BookSource, ClosedRow[]>();
    for (const source of sources) {
      const closed = await selectClosed(trx, source.name);
      closedOf.set(source, closed);
      const compared = await compareBySettings(trx, source, closed, stop);
      raised.push(...compared.raised);
      more ||= compared.more;
    }
    const taken = await takeLate.execute(trx, { sources: names, limit: AT_ONCE });
    for (const [source, closed] of closedOf) {
      const late = taken.filter((one) => one.source === source.name);
      if (late.length > 0 && closed.length > 0)
        raised.push(...(await noteChangesOf(trx, source, closed, late)));
    }
    return { raised, more: more || taken.length === AT_ONCE };
  });

async function noteChangesOf(
  trx: Transaction<Tables>,
  source: BookSource,
  closed: readonly ClosedRow[],
  late: readonly { invoiceId: string; changedAt: Date }[],
): Promise<Alarm[]> {
  const changedAt = new Map(late.map((one) => [one.invoiceId, one.changedAt]));
  const invoiceIds = [...changedAt.keys()];
  const payments = await readPaymentsOf(trx, source, invoiceIds);
  const kept = await selectKept.execute(trx, { monthIds: closed.map(({ id }) => id), invoiceIds });
  const raised: Alarm[] = [];
  for (const month of closed) {
    const before = new Map(
      kept.flatMap((one) => (one.monthId === month.id ? [[one.invoiceId, one.kept]] : [])),
    );
    const { from, to } = bookMonth(month.month, source.zone);
    const inMonth = payments.filter(({ countedAt }) => countedAt >= from && countedAt < to);
    const now = new Map(inMonth.map((payment) => [payment.invoiceId, keptPayment(payment)]));
    const noted = [...changedAt].flatMap(([invoiceId, at]): Noted[] => {
      const known = before.get(invoiceId) ?? null;
      const change = { before: known && keptPayment(known), after: now.get(invoiceId) ?? null };
      if (isDeepStrictEqual(change.before, change.after)) return [];
      return [{ monthId: month.id, invoiceId, changedAt: at, ...change }];
    });
    if (noted.length === 0) continue;
    const detail = detailOf(month, source, await selectSoFar.execute(trx, noted), noted);
    const alarm = { ...changedMonth(source.name, month.month), detail };
    await insertChanges.execute(trx, { noted, alarm });
    raised.push(alarm);
  }
  return raised;
}

/** What was noted of a closing before; payments of which more is noted now are not counted. */
const selectSoFar = new Statement(
  { others: returned.count, amount: returned.numeric },
  ({ value }: Slots<readonly Noted[]>) => sql`
    select count(distinct invoice_id) filter (
        where not invoice_id = any(${value((noted) => noted.map(({ invoiceId }) => invoiceId))}::uuid[])) as others,
      coalesce(sum(coalesce((after ->> 'amount')::numeric, 0) - coalesce((before ->> 'amount')::numeric, 0)), 0)
        as amount
    from month_change where month_id = ${value(([first]) => first?.monthId)}`,
);

function detailOf(
  closed: ClosedRow,
  source: BookSource,
  [before = { others: 0, amount: "0" }]: ResultOf<typeof selectSoFar>[],
  noted: readonly Noted[],
): string {
  const payments = before.others + noted.length;
  const amount = sumOfMoney([before.amount, ...noted.map((change) => differenceOf(change).amount)]);
  const { month, currency } = closed;
  const sum = /[1-9]/.test(amount) && !amount.startsWith("-") ? `+${amount}` : amount;
  return (
    `${currency === source.currency ? "" : `${inAnotherCurrency(closed, source)} `}` +
    `${payments.toLocaleString("en-US")} ${payments === 1 ? "payment" : "payments"} of ${month} changed after it ` +
    `was closed: ${moneyIn(currency, sum)} in all. ` +
    `Read them with: invoice-relay month show ${month}`
  );
}

/** The addenda of a closing, the oldest first. */
export async function readChanges(db: Database, monthId: string): Promise<MonthChange[]> {
  const rows = await db
    .selectFrom("month_change")
    .select(["invoice_id as invoiceId", "changed_at as changedAt", "before", "after"])
    .where("month_id", "=", monthId)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    ...row,
    before: row.before as KeptPayment | null,
    after: row.after as KeptPayment | null,
  }));
}
