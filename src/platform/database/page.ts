import { type Kysely, sql, Transaction } from "kysely";
import { command } from "./statement.ts";
import type { Database, Tables } from "./tables.ts";

/** A position in an order of time; `at` as Postgres writes it, to the microsecond. */
export interface PagePosition {
  at: string;
  id: string;
  source: string;
}

export interface PageWanted {
  /** null: from the beginning. */
  from: PagePosition | null;
  limit: number;
}

export interface Page<Item> {
  items: Item[];
  /** Where to go on; null at the end. */
  next: PagePosition | null;
}

/** @param rows one more than the limit, if there are so many */
export function pageOfRows<Row extends { at: string; source: string }>(
  rows: readonly Row[],
  limit: number,
  idOf: (row: Row) => string,
): Page<Omit<Row, "at">> {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map(({ at: _, ...item }) => item),
    next: last === undefined ? null : { at: last.at, id: idOf(last), source: last.source },
  };
}

const walkIndexes = command(
  () => sql`
    select set_config(name, 'off', true) from unnest(
      array['enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'jit']) as name`,
);

/**
 * Runs statements that take the next rows of an index and stop at their `limit`, in a transaction of its own unless
 * `db` is one already. Without fresh statistics Postgres may rather collect all rows that match, sort them or read
 * the table, for each step anew; here it walks the index in any case. JIT is off: the high cost of plans that are
 * switched off would start it.
 */
export async function inKeyOrder<Result>(
  db: Database,
  work: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  const walk = async (trx: Transaction<Tables>) => {
    await walkIndexes(trx);
    return await work(trx);
  };
  return db instanceof Transaction ? await walk(db) : await db.transaction().execute(walk);
}

/** Reads several tables as of one moment, that of the transaction it is in, if any; one statement after the other. */
export async function inSnapshot<Schema, Result>(
  db: Kysely<Schema>,
  read: (db: Kysely<Schema>) => Promise<Result>,
): Promise<Result> {
  if (db.isTransaction) return await read(db);
  return await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute((snapshot) => read(snapshot));
}
