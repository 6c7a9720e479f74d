import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { Refused } from "./refusals.ts";
import type { ServiceDatabase } from "./service-tables.ts";

interface NewLinkedAccount {
  readonly bankId: number;
  readonly accountNumber: string;
  readonly accountName: string;
  readonly isPrimary: boolean;
}

/**
 * Links an account as `Pending`. An account number is linked once only; the first one becomes primary, and so
 * does a later one that asks for it. One at a time, so that of several "first" ones exactly one is.
 * @throws Refused
 */
export function linkAccount(db: ServiceDatabase, account: NewLinkedAccount): Promise<void> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('collection-service linked account'))`.execute(trx);
    const bank = await trx
      .selectFrom("bank")
      .select("number")
      .where("number", "=", account.bankId)
      .executeTakeFirst();
    if (bank === undefined) throw new Refused("accountRefused", "linkedAccount.bankId names no bank");
    const others = await trx
      .selectFrom("linked_account")
      .select(({ fn, eb }) => [
        fn.countAll<number>().as("count"),
        fn
          .countAll<number>()
          .filterWhere(eb("account_number", "=", account.accountNumber))
          .as("same"),
      ])
      .executeTakeFirstOrThrow();
    if (others.same > 0) throw new Refused("accountRefused", "linkedAccount.accountNumber is already linked");
    const isPrimary = account.isPrimary || others.count === 0;
    if (isPrimary) await trx.updateTable("linked_account").set({ is_primary: false }).execute();
    await trx
      .insertInto("linked_account")
      .values({
        id: randomUUID(),
        bank_number: account.bankId,
        account_name: account.accountName,
        account_number: account.accountNumber,
        is_primary: isPrimary,
      })
      .execute();
  });
}

export const readLinkedAccounts = (db: ServiceDatabase) =>
  db
    .selectFrom("linked_account")
    .select([
      "id",
      "bank_number as bankId",
      "account_name as accountName",
      "account_number as accountNumber",
      "is_primary as isPrimary",
      "status",
    ])
    .orderBy("created_at")
    .orderBy("id")
    .execute();

/** @returns false when there is no such account. */
export async function approveLinkedAccount(db: ServiceDatabase, id: string): Promise<boolean> {
  const result = await db
    .updateTable("linked_account")
    .set({ status: "Approved" })
    .where("id", "=", id)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** The states of those that exist, by id. */
export async function readAccountStates(
  db: ServiceDatabase,
  ids: readonly string[],
): Promise<ReadonlyMap<string, "Pending" | "Approved">> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("linked_account")
    .select(["id", "status"])
    .where("id", "in", [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row.status]));
}
