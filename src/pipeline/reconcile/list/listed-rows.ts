import { sql } from "kysely";
import {
  boolean,
  type Columns,
  command,
  type Database,
  inKeyOrder,
  nullable,
  numeric,
  query,
  type RowOf,
  returned,
  type Slots,
  Statement,
  text,
  time,
  uuid,
} from "../../../platform/database/index.ts";
import { failpoint } from "../../../platform/process/index.ts";
import { addDays, daysBetween } from "../../../platform/values/index.ts";
import { plainColumn } from "../../confirm/index.ts";
import {
  countOn,
  type ListDates,
  type ListPeriod,
  meaningOfDates,
  type PerDay,
  recentSince,
  requestFor,
} from "./list-dates.ts";
import type { ListReader } from "./list-reader.ts";
import type { ListedPayment } from "./listed-payment.ts";

// The statements on `listed_payment` and `listed_collection`: the lists' contents, for every purpose.

export interface ListKey {
  source: string;
  collectionId: string;
}

/** A reading that stores what it sees. */
export interface StoringReading extends ListKey {
  /** A payment seen since then was seen by this reading too: repeated items are merged. */
  begunAt: Date;
  /** A payment last seen before that is noted as seen, also when it is unchanged. */
  renewedBefore: Date;
  /** The lists of paid statuses are read too: only what they show is counted under one of them. */
  isWhole: boolean;
}

const PAYMENT: Columns<ListedPayment> = {
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  paid_at: time(({ paidAt }) => paidAt),
  paid_until: time(({ paidUntil }) => paidUntil),
  created_at: time(({ createdAt }) => createdAt),
  amount: numeric(({ amount }) => amount),
  label: text(({ label }) => label),
  digest: text(({ digest }) => digest),
  filtered: boolean(({ isFiltered }) => isFiltered),
  says_paid: boolean(({ saysPaid }) => saysPaid),
};

const storeListed = new Statement(
  {},
  ({ value, table }: Slots<{ reading: StoringReading; payments: readonly ListedPayment[] }>) => {
    const source = sql`${value(({ reading }) => reading.source)}::text`;
    const begunAt = sql`${value(({ reading }) => reading.begunAt)}::timestamptz`;
    const isWhole = sql`${value(({ reading }) => reading.isWhole)}::boolean`;
    // Another list of the same reading showed it already.
    const again = sql`(known.seen_at >= ${begunAt})`;
    const merged = (column: string) => sql`
      ${sql.ref(column)} = case when ${again} then coalesce(known.${sql.ref(column)}, excluded.${sql.ref(column)})
        else excluded.${sql.ref(column)} end`;
    // Unchanged payments are left out before: a conflict would lock the row, and log the lock.
    return sql`
      insert into listed_payment as known (source, collection_id, invoice_id, seen_at, paid_at, paid_until,
        created_at, amount, label, digest, counted)
      select ${source}, ${value(({ reading }) => reading.collectionId)}::uuid, given.invoice_id,
        clock_timestamp(), given.paid_at, given.paid_until, given.created_at, given.amount, given.label,
        given.digest, filtered or (says_paid and not ${isWhole})
      from ${table("given", PAYMENT, ({ payments }) => payments)}
      left join listed_payment as old on old.source = ${source} and old.invoice_id = given.invoice_id
      where old.invoice_id is null
        or old.seen_at < ${value(({ reading }) => reading.renewedBefore)}::timestamptz
        or old.digest <> given.digest
        or (${isWhole} and filtered and not old.counted)
      order by given.invoice_id
      on conflict (source, invoice_id) do update set
        collection_id = excluded.collection_id, seen_at = excluded.seen_at, digest = excluded.digest,
        counted = excluded.counted or (known.counted and ${again}),
        amounts_differ = ${again} and (known.amounts_differ or coalesce(known.amount <> excluded.amount, false)),
        label = case when ${again} then coalesce(excluded.label, known.label) else excluded.label end,
        ${merged("amount")}, ${merged("paid_at")}, ${merged("paid_until")}, ${merged("created_at")}`;
  },
);

/** Stores what a page of a list says of its payments. */
export async function noteListed(
  db: Database,
  reading: StoringReading,
  payments: readonly ListedPayment[],
): Promise<void> {
  const byId = new Map(payments.map((payment) => [payment.invoiceId, payment]));
  if (byId.size > 0) await storeListed.execute(db, { reading, payments: [...byId.values()] });
}

type ByDay = Pick<ListDates, "by" | "zone">;

const selectPerDay = new Statement(
  { day: returned.text(), paid: returned.count },
  ({ value }: Slots<ListKey & ByDay & { since: Date }>) => sql`
    select to_char(case ${value(({ by }) => by)} when 'paid_at' then paid_at else created_at end
        at time zone ${value(({ zone }) => zone)}, 'YYYY-MM-DD') as day, count(*) as paid
    from listed_payment
    where source = ${value(({ source }) => source)}
      and collection_id = ${value(({ collectionId }) => collectionId)}::uuid
      and seen_at >= ${value(({ since }) => since)}::timestamptz and counted
    group by 1`,
);

/**
 * Counts the payments that the list counts as paid and showed since a moment, by the days that it may mean.
 */
export async function listedPerDay(db: Database, key: ListKey, since: Date, dates: ByDay): Promise<PerDay> {
  const rows = await selectPerDay.execute(db, { ...key, by: dates.by, zone: dates.zone, since });
  return new Map(rows.map(({ day, paid }) => [day, paid]));
}

/** Deletes what the list counted as paid on these of its days, and shows no longer. @param shown ids */
export const forgetUnlisted = command(
  (
    { source, collectionId }: ListKey,
    { first, last }: ListPeriod,
    { by, zone }: ListDates,
    shown: readonly string[],
  ) => sql`
    delete from listed_payment
    where source = ${source} and collection_id = ${collectionId} and counted
      and to_char(${sql.ref(by)} at time zone ${zone}, 'YYYY-MM-DD') between ${first} and ${last}
      and invoice_id <> all(${shown}::uuid[])`,
  { source: "", collectionId: "" },
  { first: "", last: "" },
  { by: "paid_at", zone: "", ends: "both" },
);

const LISTED = {
  invoiceId: returned.uuid,
  paidAt: nullable(returned.time),
  paidUntil: nullable(returned.time),
  createdAt: nullable(returned.time),
  label: nullable(returned.text()),
  counted: returned.boolean,
  digest: returned.text(),
};
export type ListedRow = RowOf<typeof LISTED>;

interface ListedQuery extends ListKey {
  /** ISO 8601, to the microsecond. */
  since: string;
  after: string;
  limit: number;
}

const selectListed = new Statement(
  LISTED,
  ({ value }: Slots<ListedQuery>) => sql`
    select invoice_id as "invoiceId", paid_at as "paidAt", paid_until as "paidUntil",
      created_at as "createdAt", label, counted, digest
    from listed_payment
    where source = ${value(({ source }) => source)}
      and collection_id = ${value(({ collectionId }) => collectionId)}::uuid
      and seen_at >= ${value(({ since }) => since)}::timestamptz
      and invoice_id > ${value(({ after }) => after)}::uuid
    order by invoice_id limit ${value(({ limit }) => limit)}`,
);

/** The next payments that a list showed, or of which it said something new, since a moment; in id order. */
export const readListed = (db: Database, query: ListedQuery): Promise<ListedRow[]> =>
  inKeyOrder(db, (trx) => selectListed.execute(trx, query));

const countRows = query((db, { source, collectionId }: ListKey, since: Date, without: readonly string[]) =>
  db
    .selectFrom("listed_payment")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("source", "=", source)
    .where("collection_id", "=", collectionId)
    .where("seen_at", ">=", since)
    .where(sql<boolean>`(label is null or ${plainColumn("label")} <> all(${without}::text[]))`),
);

/**
 * How many payments a list shows, as it was last read.
 * @param without those that it calls one of these, as `plainStatuses` gives them.
 */
export const countListed = async (db: Database, key: ListKey, since: Date, without: readonly string[] = []) =>
  (await countRows(db, key, since, without).executeTakeFirstOrThrow()).count;

/** When a list was last read whole, and what its days and counts mean; null dates: they show nothing. */
export interface WholeReading {
  readAt: Date;
  dates: ListDates | null;
}

const selectReading = query((db, { source, collectionId }: ListKey) =>
  db
    .selectFrom("listed_collection")
    .select(["read_at as readAt", "dates"])
    .where("source", "=", source)
    .where("collection_id", "=", collectionId),
);

export async function readWholeReading(db: Database, key: ListKey): Promise<WholeReading | null> {
  const row = await selectReading(db, key).executeTakeFirst();
  return row === undefined ? null : { readAt: row.readAt, dates: row.dates as ListDates | null };
}

const DELETE_LIMIT = 20_000;

const keepReading = command(
  ({ source, collectionId }: ListKey, { readAt, dates }: WholeReading) => sql`
    insert into listed_collection as known (source, collection_id, read_at, dates)
    values (${source}, ${collectionId}, ${readAt}, ${dates === null ? null : JSON.stringify(dates)})
    on conflict (source, collection_id) do update set read_at = excluded.read_at, dates = excluded.dates
    where known.read_at <= excluded.read_at`,
);

const deleteStale = command(
  (source: string, readAt: Date) => sql`
    delete from listed_payment where ctid = any(array(
      select ctid from listed_payment
      where source = ${source} and seen_at < ${readAt}::timestamptz - interval '2 days'
      order by invoice_id limit ${sql.lit(DELETE_LIMIT)}))`,
);

/**
 * Notes a reading of the whole list, unless a later one is known, and forgets what no list of the source has
 * shown for two days.
 */
export async function keepWholeReading(db: Database, key: ListKey, reading: WholeReading): Promise<void> {
  await keepReading(db, key, reading);
  while ((await inKeyOrder(db, (trx) => deleteStale(trx, key.source, reading.readAt))) === DELETE_LIMIT);
}

/** The counts of this list show nothing, until it is read whole again. */
export const distrustCounts = command(
  ({ source, collectionId }: ListKey) => sql`
    update listed_collection set dates = null where source = ${source} and collection_id = ${collectionId}`,
);

/** So many payments are read rather than counted by halves: a page. */
const CHEAP = 100;

interface ChangedDays {
  dates: ListDates;
  /** The stored payments, by day. */
  perDay: PerDay;
  /** The list's count of paid invoices for a request; null when it gives no count. */
  count: (requested: ListPeriod) => Promise<number | null>;
}

/**
 * Finds the days of which the list counts another number of paid invoices than is stored, by halves.
 * @returns the days to read again; null when its counts show nothing.
 */
export async function findChangedDays(days: ListPeriod, given: ChangedDays): Promise<ListPeriod[] | null> {
  if (days.first > days.last) return [];
  const counted = await given.count(requestFor(days, given.dates));
  return counted === null ? null : await within(days, counted, given);
}

async function within(days: ListPeriod, counted: number, given: ChangedDays): Promise<ListPeriod[] | null> {
  const stored = countOn(given.perDay, days);
  if (counted === stored) return [];
  const span = daysBetween(days.first, days.last);
  if (span <= 0 || Math.max(counted, stored) <= CHEAP) return [days];
  const middle = addDays(days.first, Math.floor(span / 2));
  const older = { first: days.first, last: middle };
  const inOlder = await given.count(requestFor(older, given.dates));
  if (inOlder === null || inOlder > counted) return null;
  const newer = { first: addDays(middle, 1), last: days.last };
  const parts = [await within(newer, counted - inOlder, given), await within(older, inOlder, given)];
  return parts.some((part) => part === null) ? null : parts.flatMap((part) => part ?? []);
}

/**
 * Notes that the whole list of a collection was read and contradicted itself nowhere, and what its days mean:
 * from now on its counts say which of them have changed.
 * @param readAt when that began.
 */
export async function noteWholeReading(
  db: Database,
  key: ListKey,
  { reader, period, readAt, zone }: { reader: ListReader; period: ListPeriod; readAt: Date; zone: string },
): Promise<void> {
  const requested = { first: period.first, last: addDays(recentSince(readAt, zone), -1) };
  const count = requested.first < requested.last ? await reader.countPaid(requested) : null;
  const dates = await meaningOfDates(requested, count, ["UTC", zone], (dates) =>
    listedPerDay(db, key, readAt, dates),
  );
  failpoint("whole list to be noted");
  await keepWholeReading(db, key, { readAt, dates });
  failpoint("whole list noted");
}
