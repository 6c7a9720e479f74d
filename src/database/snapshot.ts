import type { Kysely } from "kysely";

/**
 * Reads several tables as of one moment: what another process commits meanwhile shows in all of them or in
 * none. Inside a transaction it is that transaction's moment. The statements run one after the other, on one
 * connection.
 */
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
