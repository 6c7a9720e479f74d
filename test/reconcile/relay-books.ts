import { Alarms } from "../../src/alarms/alarms.ts";
import { connect } from "../../src/database/connect.ts";
import type { Database } from "../../src/database/tables.ts";
import { createLogger } from "../../src/kit/log.ts";
import { createMetrics } from "../../src/kit/metrics.ts";
import { Secret } from "../../src/kit/secret.ts";
import { collectionApiProvider } from "../../src/provider/collection-api-provider.ts";
import type { ReconcileSource } from "../../src/reconcile/reconcile-source.ts";
import type { Signer } from "../../src/signing/signed.ts";
import { type Lease, leaseOf } from "../../src/work/lease.ts";
import { createTestDatabase } from "../support/database.ts";
import { onTestFinished } from "../support/own-test.ts";
import { COLLECTION, type ListProvider, startListProvider } from "./list-provider.ts";

export const DAY_MS = 86_400_000;
export const TOPIC = "arn:aws:sns:us-east-1:123456789012:invoice-events";

export interface Books {
  db: Database;
  provider: ListProvider;
  source: ReconcileSource;
  /** What the passes of one process have in common. */
  context: {
    db: Database;
    source: ReconcileSource;
    sources: ReconcileSource[];
    alarms: Alarms;
    log: ReturnType<typeof createLogger>;
    lease: Lease;
    signer: Signer | null;
    intervalMs: number;
    onConfirmations: () => void;
    signal: AbortSignal;
  };
  /** Rows as Postgres gives them. */
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  openAlarms(): Promise<string[]>;
}

/** A database, a provider with a list, and a source that has been served for so many days. */
export async function books({ servedDays = 30 }: { servedDays?: number | null } = {}): Promise<Books> {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const given = await booksIn(database.url, await startListProvider());
  if (servedDays !== null)
    await given.db
      .insertInto("source")
      .values({ name: "default", first_served_at: new Date(Date.now() - servedDays * DAY_MS) })
      .execute();
  return given;
}

/** The source `default` over this database, with the provider's list. */
export async function booksIn(databaseUrl: string, provider: ListProvider): Promise<Books> {
  // A second session of the pool would else be taken for a relay that serves.
  const { db, close } = connect(new Secret(databaseUrl), { applicationName: "invoice-relay command" });
  const account = collectionApiProvider({ baseUrl: provider.url, apiKey: "key" });
  onTestFinished(async () => {
    await account.close();
    await close();
  });
  const source: ReconcileSource = {
    name: "default",
    collectionIds: [COLLECTION],
    liveTopicArn: TOPIC,
    testTopicArn: null,
    provider: account,
    ratePerSecond: null,
    paidStatuses: ["Paid"],
    invalidStatuses: ["Invalidated"],
    timeZone: "UTC",
    booksTimeZone: "UTC",
    currency: "NGN",
    lookbackMs: 35 * DAY_MS,
    retentionMs: 400 * DAY_MS,
  };
  const log = createLogger({ level: "silent" });
  const query: Books["query"] = async (text, values = []) => {
    const { CompiledQuery } = await import("kysely");
    return (await db.executeQuery<never>(CompiledQuery.raw(text, values))).rows;
  };
  return {
    db,
    provider,
    source,
    context: {
      db,
      source,
      sources: [source],
      alarms: new Alarms({ db, log, metrics: createMetrics() }),
      log,
      lease: leaseOf(15_000),
      signer: null,
      intervalMs: 600_000,
      onConfirmations: () => undefined,
      signal: new AbortController().signal,
    },
    query,
    openAlarms: async () =>
      (await query<{ name: string }>("select name from alarm where cleared_at is null order by name")).map(
        ({ name }) => name,
      ),
  };
}

export const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);
