import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import { nullable, returned, type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { VaryingStatement } from "../database/varying-statement.ts";
import { step } from "../kit/step.ts";

const AT_ONCE = 5_000;

/** One month of the log that is past its time. */
export interface OldPartition {
  name: string;
  /** Its first instant. */
  from: Date;
  /** First instant after it. */
  to: Date;
}

const dating = new Statement(
  { before: returned.time },
  ({ value }: Slots<{ ageMs: number }>) => sql`
    select date_trunc('month', clock_timestamp() - ${value(({ ageMs }) => ageMs)} * interval '1 ms', 'UTC')
      as before`,
);

/** The first moment of the month in which what is now `ageMs` old came in; UTC, by Postgres' clock. */
export async function firstOfMonthBefore(db: Kysely<Tables>, ageMs: number): Promise<Date> {
  const [row] = await dating.execute(db, { ageMs });
  return row?.before ?? new Date(0);
}

const listing = new Statement(
  { name: returned.text(), from: returned.time, to: returned.time },
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
export const partitionsBefore = (db: Kysely<Tables>, before: Date): Promise<OldPartition[]> =>
  listing.execute(db, { before });

/** Selects a table's callbacks that are about one of `keep`, rows of source and invoice_id. */
const about = (table: RawBuilder<unknown>, keep: RawBuilder<unknown>) => sql`
  with keep as materialized (${keep})
  select old.received_at, old.id from ${table} as old
  join keep on keep.source = old.source and old.invoice_ids[1] = keep.invoice_id
  union
  select old.received_at, old.id from ${table} as old
  join keep on keep.source = old.source and old.invoice_ids @> array[keep.invoice_id]
  where cardinality(old.invoice_ids) > 1`;

/** A partition's callbacks, read through the log: a role may read it without a right to its partitions. */
const within = ({ from, to }: OldPartition) => sql`
  (select * from callback where received_at >= ${from} and received_at < ${to})`;

interface Dropping {
  partition: OldPartition;
  keep: RawBuilder<unknown>;
}

const NOTHING = sql`select null::text as source, null::uuid as invoice_id`;
const NONE: OldPartition = { name: "", from: new Date(0), to: new Date(0) };

const counting = new VaryingStatement(
  { callbacks: returned.count, kept: returned.count },
  ({ partition, keep }: Dropping) => sql`
    select (select count(*) from ${within(partition)} as old) as callbacks,
      (select count(*) from (${about(within(partition), keep)}) as kept) as kept`,
  [{ partition: NONE, keep: NOTHING }],
);

// As text: a Date has no microseconds.
const selectingKept = new VaryingStatement(
  { at: returned.text(), id: returned.uuid },
  ({ partition, keep }: Dropping) => sql`
    select kept.received_at::text as at, kept.id from (${about(within(partition), keep)}) as kept`,
  [{ partition: NONE, keep: NOTHING }],
);

/** How many callbacks a partition holds, and how many of them are about one of `keep`. */
export async function countPartition(
  db: Kysely<Tables>,
  partition: OldPartition,
  keep: RawBuilder<unknown>,
): Promise<{ callbacks: number; kept: number }> {
  const [row] = await counting.execute(db, { partition, keep });
  return row ?? { callbacks: 0, kept: 0 };
}

/**
 * Takes a partition out of the log; callbacks about one of `keep` move to the default partition and stay.
 * Incoming callbacks wait until the transaction ends, so the caller is to commit at once.
 * @throws lock_not_available (SQLSTATE 55P03) when the log is busy.
 */
export async function dropPartition(
  trx: Transaction<Tables>,
  partition: OldPartition,
  keep: RawBuilder<unknown>,
): Promise<void> {
  const rows = await selectingKept.execute(trx, { partition, keep });
  const [times, ids] = [rows.map(({ at }) => at), rows.map(({ id }) => id)];
  await sql`
      select drop_callback_partition(${partition.name}, ${times}::timestamptz[], ${ids}::uuid[])`.execute(
    trx,
  );
}

/** Callbacks from before that moment that were kept, and are no longer about any of `keep`. */
const stragglers = (before: Date, keep: RawBuilder<unknown>) => sql`
  select old.received_at, old.id from callback_default as old
  where old.received_at < ${before} and (old.received_at, old.id) not in (
    select kept.received_at, kept.id from (${about(sql`callback_default`, keep)}) as kept)`;

interface Leaving {
  before: Date;
  keep: RawBuilder<unknown>;
}

const countingStragglers = new VaryingStatement(
  { count: returned.count },
  ({ before, keep }: Leaving) => sql`select count(*) as count from (${stragglers(before, keep)}) as leaving`,
  [{ before: new Date(0), keep: NOTHING }],
);

const droppingStragglers = new VaryingStatement(
  { dropped: nullable(returned.count) },
  ({ before, keep }: Leaving) => sql`
    select drop_kept_callbacks(array_agg(received_at), array_agg(id)) as dropped
    from (${stragglers(before, keep)} limit ${AT_ONCE}) as leaving`,
  [{ before: new Date(0), keep: NOTHING }],
);

export async function countStragglers(
  db: Kysely<Tables>,
  before: Date,
  keep: RawBuilder<unknown>,
): Promise<number> {
  const [row] = await countingStragglers.execute(db, { before, keep });
  return row?.count ?? 0;
}

/** @returns how many it deleted. */
export async function deleteStragglers(
  db: Kysely<Tables>,
  before: Date,
  keep: RawBuilder<unknown>,
): Promise<number> {
  for (let gone = 0; ; ) {
    step("stragglers to be deleted");
    const [row] = await droppingStragglers.execute(db, { before, keep });
    const some = row?.dropped ?? 0;
    if (some > 0) step("stragglers deleted");
    gone += some;
    if (some < AT_ONCE) return gone;
  }
}
