import { setTimeout as delay } from "node:timers/promises";
import { type RawBuilder, sql, type Transaction } from "kysely";
import {
  type Columns,
  command,
  type Database,
  inKeyOrder,
  nullable,
  type RowOf,
  returned,
  type Slots,
  Statement,
  type Tables,
  tableOf,
  text,
  uuid,
  VaryingStatement,
} from "../../../platform/database/index.ts";
import { isLockTimeout } from "../../../platform/errors/index.ts";
import { failpoint } from "../../../platform/process/index.ts";
import { NIL_UUID } from "../../../platform/values/index.ts";

const MONTHS_AHEAD = 3;

/** A partition of `callback`: a month of the log, in UTC. */
interface Partition {
  name: string;
  from: string;
  to: string;
}

/** The partitions that should stand at `now`: this month's, and those of the three months to come. */
export function partitionsDue(now: Date): Partition[] {
  return Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => {
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1));
    const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead + 1, 1));
    const month = from.toISOString().slice(0, 7).replace("-", "_");
    return { name: `callback_${month}`, from: from.toISOString(), to: to.toISOString() };
  });
}

/**
 * Makes the partitions that are due and missing, and moves the rows that the default partition took in their
 * stead.
 * @param tries how often a busy log is tried, with a second in between.
 * @param brief gives up one that takes longer than a few seconds, since callbacks wait meanwhile.
 * @returns the names of those it made.
 * @throws lock_not_available (SQLSTATE 55P03) when the log stays busy.
 */
export async function makePartitions(
  db: Database,
  now: Date = new Date(),
  { tries = 5, brief = false } = {},
): Promise<string[]> {
  const made: string[] = [];
  for (const { name, from } of partitionsDue(now)) {
    if (!(await whenNotBusy(tries, () => makePartition(db, from, brief)))) continue;
    failpoint("partition made");
    made.push(name);
  }
  return made;
}

const createPartition = new Statement(
  { made: returned.boolean },
  ({ value }: Slots<{ from: string }>) => sql`
    select make_callback_partition((${value(({ from }) => from)}::timestamptz at time zone 'UTC')::date)
      as made`,
);

async function makePartition(db: Database, from: string, brief: boolean): Promise<boolean> {
  failpoint("partition to be made");
  return await db.transaction().execute(async (trx) => {
    if (brief) await holdBriefly(trx);
    const [row] = await createPartition.execute(trx, { from });
    return row?.made === true;
  });
}

const REST_MS = 1_000;

/** Tries again while others hold the locks that it needs. @throws lock_not_available after so many tries. */
export async function whenNotBusy<Result>(tries: number, work: () => Promise<Result>): Promise<Result> {
  for (let left = tries - 1; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left <= 0 || !isLockTimeout(error)) throw error;
      // Lets what waited behind the lock go first.
      await delay(REST_MS);
    }
  }
}

/**
 * Limits each statement of this transaction to a few seconds: it holds a lock that callbacks wait for. A
 * longer statement fails (SQLSTATE 57014), and is reported as failing maintenance.
 */
const holdBriefly = command(() => sql`set local statement_timeout = '5s'`);

/** How many open invoices, or kept callbacks, one statement reads. */
const AT_ONCE = 5_000;

const PARTITION = {
  name: returned.text(),
  from: returned.time,
  to: returned.time,
};

/** A month of the log that is past its time. */
export type OldPartition = RowOf<typeof PARTITION>;

const selectPartitions = new Statement(
  PARTITION,
  ({ value }: Slots<{ before: Date }>) => sql`
    select * from (
      select child.relname::text as name,
        substring(pg_get_expr(child.relpartbound, child.oid)
          from $re$FROM \\('([^']+)'\\)$re$)::timestamptz as from,
        substring(pg_get_expr(child.relpartbound, child.oid)
          from $re$TO \\('([^']+)'\\)$re$)::timestamptz as to
      from pg_inherits join pg_class as child on child.oid = inhrelid
      where inhparent = 'callback'::regclass) as partition
    where "to" <= ${value(({ before }) => before)} order by "to"`,
);

/** The partitions that end at `before` or earlier, the oldest first. */
export const partitionsBefore = (db: Database, before: Date) => selectPartitions.execute(db, { before });

const within = ({ from, to }: OldPartition) => sql`received_at >= ${from} and received_at < ${to}`;

const NONE: OldPartition = { name: "", from: new Date(0), to: new Date(0) };

/** Up to so many they are counted; beyond, Postgres knows about how many there are. */
const COUNTED = 10_000;

const countRows = new VaryingStatement(
  { callbacks: returned.count },
  (partition: OldPartition) => sql`
    select case when counted < ${COUNTED} then counted
      else greatest(counted, (select reltuples::bigint from pg_class
        where oid = to_regclass(${partition.name}))) end as callbacks
    from (select count(*) as counted
      from (select from callback where ${within(partition)} limit ${COUNTED}) as counting) as first`,
  [NONE],
);

/** How many callbacks a partition holds; about, where they are many: counting would read the whole month. */
export async function sizeOf(db: Database, partition: OldPartition): Promise<number> {
  const [row] = await countRows.execute(db, partition);
  return row?.callbacks ?? 0;
}

/** A callback by its primary key. Its time as text: a Date has no microseconds. */
export interface CallbackKey {
  at: string;
  id: string;
}

interface Invoice {
  source: string;
  invoice_id: string;
}

const INVOICE: Columns<Invoice> = {
  source: text(({ source }) => source),
  invoice_id: uuid((invoice) => invoice.invoice_id),
};

// Each row is looked up by itself: for a plain join Postgres might read the whole month. `offset` keeps the
// subquery apart from the rows that it is looked up for.
const selectKept = new VaryingStatement(
  { at: returned.text(), id: returned.uuid },
  ({ partition, invoices }: { partition: OldPartition; invoices: readonly Invoice[] }) => sql`
    select old.received_at::text as at, old.id
    from ${tableOf("keep", INVOICE, invoices)}
    cross join lateral (
      select received_at, id from callback
      where ${within(partition)} and invoice_ids[1] = keep.invoice_id and source = keep.source
      union all
      select received_at, id from callback
      where ${within(partition)} and cardinality(invoice_ids) > 1
        and invoice_ids @> array[keep.invoice_id] and source = keep.source
      offset 0) as old`,
  [{ partition: NONE, invoices: [] }],
);

const closeCursor = command(() => sql`close keep`);

/**
 * Finds the callbacks of a partition that stay.
 * @param keep a query for rows of source and invoice_id, read a few thousand at a time
 */
export function findingKept(keep: RawBuilder<unknown>) {
  const openCursor = command(() => sql`declare keep no scroll cursor for ${keep}`);
  return async (trx: Transaction<Tables>, partition: OldPartition): Promise<CallbackKey[]> => {
    const found = new Map<string, CallbackKey>();
    await openCursor(trx);
    for (;;) {
      const { rows: invoices } = await sql.raw<Invoice>(`fetch ${AT_ONCE} from keep`).execute(trx);
      if (invoices.length > 0)
        for (const key of await selectKept.execute(trx, { partition, invoices }))
          found.set(`${key.at} ${key.id}`, key);
      if (invoices.length < AT_ONCE) break;
    }
    await closeCursor(trx);
    return [...found.values()];
  };
}

/**
 * Takes a partition out of the log; `kept` move to the default partition and stay. Incoming callbacks wait
 * until the transaction ends, so the caller is to commit at once; after a few seconds it fails, since what
 * comes in must not wait for longer.
 * @throws lock_not_available (SQLSTATE 55P03) when the log is busy.
 */
export async function dropPartition(
  trx: Transaction<Tables>,
  partition: OldPartition,
  kept: readonly CallbackKey[],
): Promise<void> {
  const [times, ids] = [kept.map(({ at }) => at), kept.map(({ id }) => id)];
  await holdBriefly(trx);
  await callDrop(trx, partition.name, times, ids);
}

const callDrop = command(
  (name: string, times: readonly string[], ids: readonly string[]) => sql`
    select drop_callback_partition(${name}, ${times}::timestamptz[], ${ids}::uuid[])`,
);

interface DropPage {
  before: Date;
  after: CallbackKey;
  drops: boolean;
}

/** A condition: callbacks about the invoice stay. Two expressions: its source and its id. */
type IsKept = (source: RawBuilder<unknown>, invoiceId: RawBuilder<unknown>) => RawBuilder<unknown>;

const FIRST: CallbackKey = { at: "-infinity", id: NIL_UUID };
const SHAPE = { before: new Date(0), after: FIRST };

const DROPPING = sql`
  (select drop_kept_callbacks(array_agg(received_at), array_agg(id)) from leaving)`;

/** Reads the next callbacks that were kept beside their partition; those that are no longer needed leave. */
const droppingPages = (isKept: IsKept) =>
  new VaryingStatement(
    {
      walked: returned.count,
      leaving: returned.count,
      dropped: nullable(returned.count),
      at: nullable(returned.text()),
      id: nullable(returned.uuid),
    },
    ({ before, after, drops }: DropPage) => sql`
    with walked as materialized (
      select received_at, id, source, invoice_ids from callback_default
      where received_at < ${before} and (received_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)
      order by received_at, id limit ${sql.lit(AT_ONCE)}),
    leaving as materialized (
      select received_at, id from walked
      where not coalesce((select bool_or(${isKept(sql`walked.source`, sql`named.id`)})
        from unnest(walked.invoice_ids) as named (id)), false))
    select (select count(*) from walked) as walked, (select count(*) from leaving) as leaving,
      ${drops ? DROPPING : sql`null::bigint`} as dropped,
      last.received_at::text as at, last.id
    from (select 1) as always left join (
      select received_at, id from walked order by received_at desc, id desc limit 1) as last on true`,
    [
      { ...SHAPE, drops: true },
      { ...SHAPE, drops: false },
    ],
  );

/** Deletes a few thousand at a time, and returns how many leave. */
export function droppingStragglers(isKept: IsKept) {
  const dropPage = droppingPages(isKept);
  return async (db: Database, { before, dryRun }: { before: Date; dryRun: boolean }): Promise<number> => {
    let gone = 0;
    for (let after = FIRST; ; ) {
      if (!dryRun) failpoint("stragglers to be deleted");
      const [row] = await inKeyOrder(db, (trx) => dropPage.execute(trx, { before, after, drops: !dryRun }));
      if (row === undefined) return gone;
      if ((row.dropped ?? 0) > 0) failpoint("stragglers deleted");
      gone += row.leaving;
      if (row.walked < AT_ONCE || row.at === null || row.id === null) return gone;
      after = { at: row.at, id: row.id };
    }
  };
}
