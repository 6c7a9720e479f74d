import { type Kysely, sql, Transaction } from "kysely";
import { command } from "./statement.ts";
import type { Database, Tables } from "./tables.ts";

const walkIndexes = command(
  () => sql`
    select set_config(name, 'off', true) from unnest(
      array['enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'jit']) as name`,
);

/**
 * Runs statements that take the next rows of an index and stop at their `limit`, in a transaction of its own
 * unless `db` is one already. Without fresh statistics Postgres may rather collect all rows that match, sort
 * them or read the table, for each step anew; here it walks the index, whatever it knows of the table. JIT is
 * off, since it would compile a plan for the cost of what is switched off.
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
