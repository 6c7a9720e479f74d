import { randomUUID } from "node:crypto";
import { CompiledQuery } from "kysely";
import { type ReconcileSource, runSweepJob } from "../../../src/pipeline/reconcile/index.ts";
import { connect } from "../../../src/platform/database/connect.ts";
import { createLogger } from "../../../src/platform/log/log.ts";
import type { Signer } from "../../../src/platform/signing/signed.ts";
import { Secret } from "../../../src/platform/values/mask.ts";
import { leaseOf } from "../../../src/platform/worker/leased-rows.ts";
import { collectionApiProvider } from "../../../src/provider/collection-api-provider.ts";
import { createTestDatabase } from "../../support/database.ts";
import { onTestFinished } from "../../support/own-test.ts";
import { alarmsOn } from "../../support/test-log.ts";
import { COLLECTION, type ListedInvoice, startListProvider } from "./list-provider.ts";

export const DAY_MS = 86_400_000;
export const TOPIC = "arn:aws:sns:us-east-1:123456789012:invoice-events";

export type Books = Awaited<ReturnType<typeof books>>;

/** A database, a provider with a list, and a source that has been served for so many days. */
export async function books({ servedDays = 30 }: { servedDays?: number | null } = {}) {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const provider = await startListProvider();
  // A second session of the pool would else be taken for a relay that serves.
  const { db, close } = connect(new Secret(database.url), { applicationName: "invoice-relay command" });
  const account = collectionApiProvider({ baseUrl: provider.url, apiKey: "key" });
  onTestFinished(async () => {
    await account.close();
    await close();
  });
  const source: ReconcileSource = {
    ...{ name: "default", collectionIds: [COLLECTION], liveTopicArn: TOPIC, testTopicArn: null },
    ...{ provider: account, ratePerSecond: null, paidStatuses: ["Paid"], invalidStatuses: ["Invalidated"] },
    ...{ timeZone: "UTC", booksTimeZone: "UTC", currency: "NGN" },
    ...{ lookbackMs: 35 * DAY_MS, retentionMs: 400 * DAY_MS },
  };
  /** @returns rows as Postgres gives them. */
  const query = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await db.executeQuery<Row & object>(CompiledQuery.raw(text, values))).rows;
  if (servedDays !== null)
    await query("insert into source (name, first_served_at) values ('default', $1)", [daysAgo(servedDays)]);
  return {
    db,
    provider,
    source,
    /** What the passes of one process have in common. */
    context: {
      ...{ db, source, sources: [source], alarms: alarmsOn(db), log: createLogger({ level: "silent" }) },
      ...{ lease: leaseOf(15_000), signer: null as Signer | null, intervalMs: 600_000 },
      ...{ onConfirmations: () => undefined, signal: new AbortController().signal },
    },
    query,
    async openAlarms() {
      const open = "select name from alarm where cleared_at is null order by name";
      return (await query<{ name: string }>(open)).map(({ name }) => name);
    },
  };
}

export const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

/** One more payment of the list, created and paid so many days ago. @returns its id */
export function pay(
  { provider }: Pick<Books, "provider">,
  days: number,
  changes: Partial<ListedInvoice> = {},
): string {
  const id = randomUUID();
  provider.invoices.push({ id, createdAt: daysAgo(days), paidAt: daysAgo(days), ...changes });
  return id;
}

/** A run of the sweeps that are due. */
export const sweep = ({ context }: Books, changes: Partial<Books["context"]> = {}) =>
  runSweepJob({ ...context, ...changes }, context.signal);

/** The invoices that are to be asked about, in the order of their ids. */
export async function idsDue({ query }: Pick<Books, "query">): Promise<string[]> {
  const due = "select invoice_id as id from confirmation where state = 'due' order by invoice_id";
  return (await query<{ id: string }>(due)).map(({ id }) => id);
}
