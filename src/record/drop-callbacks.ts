import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import type { Tables } from "../database/tables.ts";

/** How long callbacks may wait for the log while a partition is taken out, in ms. */
const LOCK_MS = 2_000;

const AT_ONCE = 5_000;

/** One month of the log that is past its time. */
export interface OldPartition {
  name: string;
  /** First instant after it. */
  to: Date;
}

/** The first moment of the month that holds what is just `ageMs` old; UTC, by Postgres' clock. */
export async function firstOfMonthBefore(db: Kysely<Tables>, ageMs: number): Promise<Date> {
  const { rows } = await sql<{ before: Date }>`
    select date_trunc('month', clock_timestamp() - ${ageMs} * interval '1 ms', 'UTC') as before`.execute(db);
  return rows[0]?.before ?? new Date(0);
}

/** The partitions that end at `before` or earlier, the oldest first. */
export async function partitionsBefore(db: Kysely<Tables>, before: Date): Promise<OldPartition[]> {
  const { rows } = await sql<OldPartition>`
    select * from (
      select child.relname as name,
        substring(pg_get_expr(child.relpartbound, child.oid)
          from $re$TO \\('([^']+)'\\)$re$)::timestamptz as to
      from pg_inherits join pg_class as child on child.oid = inhrelid
      where inhparent = 'callback'::regclass) as partition
    where "to" <= ${before} order by "to"`.execute(db);
  return rows;
}

/** Names the callbacks of a table that are about one of `keep`, rows of source and invoice_id. */
const about = (table: RawBuilder<unknown>, keep: RawBuilder<unknown>) => sql`
  with keep as materialized (${keep})
  select old.received_at, old.id from ${table} as old
  join keep on keep.source = old.source and old.invoice_ids[1] = keep.invoice_id
  union
  select old.received_at, old.id from ${table} as old
  join keep on keep.source = old.source and old.invoice_ids @> array[keep.invoice_id]
  where cardinality(old.invoice_ids) > 1`;

/** How many callbacks a partition holds, and how many of them are about one of `keep`. */
export async function countPartition(
  db: Kysely<Tables>,
  name: string,
  keep: RawBuilder<unknown>,
): Promise<{ callbacks: number; kept: number }> {
  const { rows } = await sql<{ callbacks: number; kept: number }>`
    select (select count(*) from ${sql.table(name)}) as callbacks,
      (select count(*) from (${about(sql.table(name), keep)}) as kept) as kept`.execute(db);
  return rows[0] ?? { callbacks: 0, kept: 0 };
}

/**
 * Takes a partition out of the log; callbacks about one of `keep` move to the default partition and stay.
 * @throws lock_not_available (SQLSTATE 55P03) when the log is busy.
 */
export async function dropPartition(
  trx: Transaction<Tables>,
  name: string,
  keep: RawBuilder<unknown>,
): Promise<void> {
  const table = sql.table(name);
  await sql`select set_config('lock_timeout', ${`${LOCK_MS}ms`}, true)`.execute(trx);
  await sql`select pg_advisory_xact_lock(hashtext('invoice-relay partitions'))`.execute(trx);
  await sql`alter table callback detach partition ${table}`.execute(trx);
  await sql`
    insert into callback select old.* from ${table} as old
    where (old.received_at, old.id) in (
      select kept.received_at, kept.id from (${about(table, keep)}) as kept)`.execute(trx);
  await sql`drop table ${table}`.execute(trx);
}

export const isBusy = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "55P03";

/** Callbacks from before that moment which were kept, and are about none of `keep` any longer. */
const stragglers = (before: Date, keep: RawBuilder<unknown>) => sql`
  select old.received_at, old.id from callback_default as old
  where old.received_at < ${before} and (old.received_at, old.id) not in (
    select kept.received_at, kept.id from (${about(sql`callback_default`, keep)}) as kept)`;

export async function countStragglers(
  db: Kysely<Tables>,
  before: Date,
  keep: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (${stragglers(before, keep)}) as leaving`.execute(db);
  return rows[0]?.count ?? 0;
}

/** @returns how many it deleted. */
export async function deleteStragglers(
  db: Kysely<Tables>,
  before: Date,
  keep: RawBuilder<unknown>,
): Promise<number> {
  for (let gone = 0; ; ) {
    const some = await db.transaction().execute(async (trx) => {
      await sql`set local invoice_relay.moves_partition = 'on'`.execute(trx);
      const { numAffectedRows = 0n } = await sql`
        delete from callback_default where (received_at, id) in (
          ${stragglers(before, keep)} limit ${AT_ONCE})`.execute(trx);
      return Number(numAffectedRows);
    });
    gone += some;
    if (some < AT_ONCE) return gone;
  }
}
