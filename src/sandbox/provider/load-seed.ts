import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Seed } from "./seed.ts";
import type { InvoiceType, ServiceDatabase } from "./tables.ts";

/**
 * Writes the seed into the database, in one transaction, so that it can be repeated at every start. Rows that the seed
 * no longer has stay, but a key that it no longer has stops working. An account's approval and the primary one are
 * not of the seed any more once the account is there.
 */
export async function loadSeed(db: ServiceDatabase, seed: Seed): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('collection-service seed'))`.execute(trx);
    await trx.deleteFrom("api_key").execute();
    const keys = seed.apiKeys.map(({ name, type, key }) => ({ name, type, sha256: hashOfKey(key) }));
    await trx.insertInto("api_key").values(keys).execute();
    for (const { bankId: number, ...bank } of seed.banks)
      await trx
        .insertInto("bank")
        .values({ number, ...bank })
        .onConflict((conflict) => conflict.column("number").doUpdateSet(bank))
        .execute();
    for (const { id, isPrimary, status, ...account } of seed.linkedAccounts) {
      const row = {
        bank_number: account.bankId,
        account_name: account.accountName,
        account_number: account.accountNumber,
      };
      await trx
        .insertInto("linked_account")
        .values({ id, is_primary: isPrimary, status, ...row })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
        .execute();
    }
    for (const collection of seed.collections) await loadCollection(trx, seed, collection);
  });
}

async function loadCollection(
  db: ServiceDatabase,
  seed: Seed,
  { id, collectionAccounts, ...collection }: Seed["collections"][number],
): Promise<void> {
  const { biller, fee } = seed;
  const { collectionCategory: category } = collection;
  const row = {
    created_at: new Date(collection.dateCreated),
    amount: collection.amount,
    name: collection.collectionName,
    description: collection.description,
    invoice_expiration_period: collection.invoiceExpirationPeriod,
    payment_channels: collection.paymentChannels,
    settlement_frequency: collection.settlementFrequency,
    service_fee_billing: collection.serviceFeeBilling,
    status: collection.status,
    category_id: category?.id ?? null,
    category_name: category?.name ?? null,
    biller_name: biller.name,
    biller_address: biller.address,
    biller_email: biller.email,
    fee: JSON.stringify(fee),
  };
  await db
    .insertInto("collection")
    .values({ id, ...row })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
  await db.deleteFrom("collection_account").where("collection_id", "=", id).execute();
  for (const [position, { linkedAccountId, percentage }] of collectionAccounts.entries())
    await db
      .insertInto("collection_account")
      .values({
        ...{ collection_id: id, position },
        ...{ linked_account_id: linkedAccountId, percentage: String(percentage) },
      })
      .execute();
}

export interface ApiKey {
  readonly name: string;
  /** A Live key makes Live invoices, a Test key Test invoices. */
  readonly type: InvoiceType;
}

/** Keys are found by their hash, so that no timing tells how much of a guess was right. */
export async function readKeys(db: ServiceDatabase) {
  const rows = await db.selectFrom("api_key").selectAll().execute();
  const byHash = new Map(rows.map(({ name, type, sha256 }) => [sha256.toString("hex"), { name, type }]));
  return {
    find: (key: string | undefined) =>
      key === undefined ? undefined : byHash.get(hashOfKey(key).toString("hex")),
  };
}

/** The keys of one running service. They change with the seed only, so at a start. */
export type ApiKeys = Awaited<ReturnType<typeof readKeys>>;

const hashOfKey = (key: string): Buffer => createHash("sha256").update(key).digest();
