import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Seed } from "./seed.ts";
import type { InvoiceType, ServiceDatabase } from "./tables.ts";

/**
 * Writes the seed into the database, in one transaction, so that it can be repeated at every start: rows
 * whose seed did not change since the last time are left as they are now, changed ones are written again,
 * rows that the seed no longer has stay. Only keys are different: a key that the seed no longer has stops
 * working.
 */
export async function loadSeed(db: ServiceDatabase, seed: Seed): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('collection-service seed'))`.execute(trx);
    await loadKeys(trx, seed);
    await loadBanks(trx, seed);
    await loadLinkedAccounts(trx, seed);
    await loadCollections(trx, seed);
  });
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

const digestOf = (row: unknown) => createHash("sha256").update(JSON.stringify(row)).digest("hex");

async function loadKeys(db: ServiceDatabase, seed: Seed): Promise<void> {
  await db.deleteFrom("api_key").execute();
  await db
    .insertInto("api_key")
    .values(seed.apiKeys.map(({ name, type, key }) => ({ name, type, sha256: hashOfKey(key) })))
    .execute();
}

async function loadBanks(db: ServiceDatabase, seed: Seed): Promise<void> {
  for (const bank of seed.banks) {
    const { bankId, ...columns } = bank;
    const row = { ...columns, seed_digest: digestOf(bank) };
    await db
      .insertInto("bank")
      .values({ number: bankId, ...row })
      .onConflict((conflict) =>
        conflict.column("number").doUpdateSet(row).where("bank.seed_digest", "<>", row.seed_digest),
      )
      .execute();
  }
}

async function loadLinkedAccounts(db: ServiceDatabase, seed: Seed): Promise<void> {
  for (const account of seed.linkedAccounts) {
    const row = {
      bank_number: account.bankId,
      account_name: account.accountName,
      account_number: account.accountNumber,
      status: account.status,
      seed_digest: digestOf(account),
    };
    const known = await db
      .selectFrom("linked_account")
      .select("seed_digest")
      .where("id", "=", account.id)
      .executeTakeFirst();
    if (known?.seed_digest === row.seed_digest) continue;
    if (account.isPrimary) await db.updateTable("linked_account").set({ is_primary: false }).execute();
    await db
      .insertInto("linked_account")
      .values({ id: account.id, is_primary: account.isPrimary, ...row })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ is_primary: account.isPrimary, ...row }))
      .execute();
  }
}

async function loadCollections(db: ServiceDatabase, seed: Seed): Promise<void> {
  for (const collection of seed.collections) {
    const biller = collection.biller ?? seed.biller;
    const fee = collection.fee ?? seed.fee;
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
      category_id: collection.collectionCategory?.id ?? null,
      category_name: collection.collectionCategory?.name ?? null,
      biller_name: biller.name,
      biller_address: biller.address,
      biller_email: biller.email,
      fee: JSON.stringify(fee),
      seed_digest: digestOf({ ...collection, biller, fee }),
    };
    const written = await db
      .insertInto("collection")
      .values({ id: collection.id, ...row })
      .onConflict((conflict) =>
        conflict.column("id").doUpdateSet(row).where("collection.seed_digest", "<>", row.seed_digest),
      )
      .returning("id")
      .executeTakeFirst();
    if (written === undefined) continue;
    await db.deleteFrom("collection_account").where("collection_id", "=", collection.id).execute();
    if (collection.collectionAccounts.length > 0) {
      await db
        .insertInto("collection_account")
        .values(
          collection.collectionAccounts.map(({ linkedAccountId, percentage }, position) => ({
            collection_id: collection.id,
            position,
            linked_account_id: linkedAccountId,
            percentage: String(percentage),
          })),
        )
        .execute();
    }
  }
}
