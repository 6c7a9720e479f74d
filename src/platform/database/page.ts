import { type Kysely, sql, Transaction } from "kysely";
import { command, type RowOf, returned } from "./statement.ts";
import type { Database, Tables } from "./tables.ts";

/** A position in an order of time; `at` as Postgres writes it, to the microsecond. */
export interface PagePosition {
  at: string;
  id: string;
  source: string;
}

/** The items found between two positions. */
export interface PageSlice<Item> {
  /** In the order of the walk, each with its position. */
  found: (Item & { place: PagePosition })[];
  /** Where it ended; null at the end of all. */
  end: PagePosition | null;
}

/** The columns that a slice reads of each row. */
export const LOOKED_AT = {
  at: returned.text(),
  /** Its number in the slice, from 1. */
  place: returned.count,
  matches: returned.boolean,
};

type LookedAt = RowOf<typeof LOOKED_AT> & { source: string };

/** @param rows those that match and, if the slice has all of its `most` rows, the last one. */
export function sliceOf<Row extends LookedAt>(
  rows: readonly Row[],
  most: number,
  idOf: (row: Row) => string,
): PageSlice<Omit<Row, keyof typeof LOOKED_AT>> {
  const placeOf = (row: Row): PagePosition => ({ at: row.at, id: idOf(row), source: row.source });
  const last = rows.at(-1);
  return {
    found: rows
      .filter(({ matches }) => matches)
      .map((row) => {
        const { at: _, place: __, matches: ___, ...item } = row;
        return { ...item, place: placeOf(row) };
      }),
    end: last?.place === most ? placeOf(last) : null,
  };
}

export interface Page<Item> {
  items: Item[];
  /** Where to go on; null at the end. */
  next: PagePosition | null;
}

/**
 * A page of a walk whose filters no index knows: slice by slice, until it is full, at the end, or its time is up. A
 * page costs about the same, however rare its items are (bounded, G8).
 */
export async function walk<Item>({
  from,
  limit,
  withinMs,
  look,
}: {
  /** null: from the beginning. */
  from: PagePosition | null;
  limit: number;
  withinMs: number;
  look: (after: PagePosition | null) => Promise<PageSlice<Item>>;
}): Promise<Page<Item>> {
  const until = performance.now() + withinMs;
  const found: (Item & { place: PagePosition })[] = [];
  for (let after = from; ; ) {
    const slice = await look(after);
    found.push(...slice.found);
    after = slice.end;
    const isOver = found.length >= limit || after === null || performance.now() >= until;
    if (!isOver) continue;
    const items = found.slice(0, limit);
    const last = items.at(-1)?.place ?? null;
    return {
      items: items.map(({ place: _, ...item }) => item as unknown as Item),
      next: found.length > limit ? last : after,
    };
  }
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
