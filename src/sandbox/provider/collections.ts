import { randomUUID } from "node:crypto";
import { type Selectable, sql } from "kysely";
import type { BanksWritten, CollectionWritten } from "../../provider/index.ts";
import { Refused } from "./answers.ts";
import type { CollectionTable, ServiceDatabase } from "./tables.ts";

export type CollectionRow = Selectable<CollectionTable>;

/** The category of a collection that has none: it is specified as an object. */
const NO_CATEGORY = { id: "00000000-0000-4000-8000-000000000000", name: "Uncategorized" };

export function readCollection(db: ServiceDatabase, id: string): Promise<CollectionRow | undefined> {
  return db.selectFrom("collection").selectAll().where("id", "=", id).executeTakeFirst();
}

/** The collection, and whether it says itself how its money is split. */
export function readCollectionTerms(
  db: ServiceDatabase,
  id: string,
): Promise<(CollectionRow & { has_own_split: boolean }) | undefined> {
  return db
    .selectFrom("collection as c")
    .selectAll("c")
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom("collection_account as a").select("a.position").whereRef("a.collection_id", "=", "c.id"),
      )
        .$castTo<boolean>()
        .as("has_own_split"),
    )
    .where("c.id", "=", id)
    .executeTakeFirst();
}

/** The collection with its accounts and their banks, as the contract writes it. */
export async function readCollectionOnWire(
  db: ServiceDatabase,
  id: string,
): Promise<CollectionWritten | undefined> {
  const row = await readCollection(db, id);
  if (row === undefined) return undefined;
  const accounts = await db
    .selectFrom("collection_account as c")
    .innerJoin("linked_account as a", "a.id", "c.linked_account_id")
    .innerJoin("bank as b", "b.number", "a.bank_number")
    .select(["c.percentage", "a.id", "a.account_name", "a.account_number"])
    .select(["b.id as bank_id", "b.name as bank_name", "b.code as bank_code", "b.logo as bank_logo"])
    .where("c.collection_id", "=", id)
    .orderBy("c.position")
    .execute();
  return {
    id: row.id,
    collectionName: row.name,
    description: row.description,
    invoiceExpirationPeriod: row.invoice_expiration_period,
    paymentChannels: row.payment_channels,
    settlementFrequency: row.settlement_frequency,
    serviceFeeBilling: row.service_fee_billing,
    // Specified as a number: 0 where each invoice brings its own.
    amount: row.amount ?? "0.00",
    dateCreated: row.created_at.toISOString(),
    status: row.status,
    collectionCategory: {
      id: row.category_id ?? NO_CATEGORY.id,
      name: row.category_name ?? NO_CATEGORY.name,
    },
    collectionAccounts: accounts.map((account) => ({
      percentage: Number(account.percentage),
      linkedAccount: {
        id: account.id,
        accountName: account.account_name,
        accountNumber: account.account_number,
        bank: {
          id: account.bank_id,
          name: account.bank_name,
          code: account.bank_code,
          logo: account.bank_logo,
        },
      },
    })),
  };
}

export async function readBanks(db: ServiceDatabase): Promise<BanksWritten> {
  const banks = await db.selectFrom("bank").selectAll().orderBy("number").execute();
  return banks.map(({ number, name, code, logo }) => ({ id: number, name, code, logo }));
}

interface NewLinkedAccount {
  readonly bankId: number;
  readonly accountNumber: string;
  readonly accountName: string;
  readonly isPrimary: boolean;
}

/**
 * Links an account as `Pending`. An account number is linked once only; the first one becomes primary, and so does
 * a later one that requests it. Accounts are linked in turn, so that exactly one of several "first" ones is
 * primary.
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
