import { Alarms } from "../../../src/alarms/alarms.ts";
import { connect } from "../../../src/database/connect.ts";
import type { Database } from "../../../src/database/tables.ts";
import { createLogger } from "../../../src/kit/log.ts";
import { createMetrics } from "../../../src/kit/metrics.ts";
import { Secret } from "../../../src/kit/secret.ts";
import { searchInvoices } from "../../../src/operate/find-invoices.ts";
import { readStatus } from "../../../src/operate/status-facts.ts";
import { readTimeline } from "../../../src/operate/timeline-reading.ts";
import { collectionApiProvider } from "../../../src/provider/collection-api-provider.ts";
import type { Provider } from "../../../src/provider/provider.ts";
import { certify } from "../../../src/reconcile/certificate/certify.ts";
import type { ReconcileSource } from "../../../src/reconcile/reconcile-source.ts";
import { leaseOf } from "../../../src/work/lease.ts";
import type { BenchDatabase } from "./bench-database.ts";
import { nowMs } from "./clock.ts";
import { TOPIC_ARN } from "./sample-payment.ts";
import { percentilesOf } from "./spread.ts";
import type { Stage } from "./stage.ts";

/** The median of each, in ms. */
export interface Reads {
  status: number;
  /** By a reference. */
  search: number;
  timeline: number;
  certify: number;
}

const TIMES = 100;
const CERTIFY_TIMES = 5;
const DAY_MS = 86_400_000;
const LEASE_MS = 15_000;

/** So many payments are certified, however many there are. */
export const CERTIFIED = 1_000;

/**
 * What people read: the status, a payment by its reference, its timeline, a certificate of 1,000 payments.
 */
export async function measureReads(stage: Stage, database: BenchDatabase): Promise<Reads> {
  const { db, close } = connect(new Secret(database.url), { max: 4 });
  const provider = collectionApiProvider({ baseUrl: stage.provider.url, apiKey: "bench-api-key" });
  try {
    const some = await database.query<{ id: string; reference: string }>(
      "select id, reference from callback where 'data.id' = found_by order by md5(id::text) limit $1",
      [TIMES],
    );
    return {
      status: await median(some.map(() => () => readStatus(db, { sources: null, intervalMs: DAY_MS }))),
      search: await median(
        some.map(
          ({ reference }) =>
            () =>
              searchInvoices(
                db,
                { text: reference, today: new Date().toISOString().slice(0, 10) },
                { from: null, limit: 50 },
              ),
        ),
      ),
      timeline: await median(
        some.map(
          ({ id }) =>
            () =>
              readTimeline(db, id),
        ),
      ),
      certify: await median(await certifications(stage, database, db, provider)),
    };
  } finally {
    await provider.close();
    await close();
  }
}

async function certifications(
  stage: Stage,
  database: BenchDatabase,
  db: Database,
  provider: Provider,
): Promise<(() => Promise<unknown>)[]> {
  const payments = await database.query<{ id: string; at: Date }>(
    // Those of the history have no title.
    "select id, paid_at as at from invoice where title is null order by paid_at desc limit $1",
    [CERTIFIED],
  );
  await stage.provider.call(
    "list",
    payments.map(({ id, at }) => ({ id, paidAt: at.toISOString() })),
  );
  await database.query(
    "insert into source (name, first_served_at) values ('default', 'epoch') on conflict do nothing",
  );
  const source: ReconcileSource = {
    name: "default",
    collectionIds: ["7b0f6a4e-2f5b-4d0e-9c53-0d7c2f6f1c11"],
    liveTopicArn: TOPIC_ARN,
    testTopicArn: null,
    provider,
    ratePerSecond: null,
    paidStatuses: ["Paid"],
    invalidStatuses: ["Invalidated"],
    timeZone: "UTC",
    booksTimeZone: "UTC",
    currency: "NGN",
    lookbackMs: DAY_MS,
    retentionMs: 365 * DAY_MS,
  };
  const window = {
    from: payments.at(-1)?.at ?? new Date(),
    to: new Date((payments[0]?.at.getTime() ?? 0) + 1),
  };
  const request = { source, window, collectionId: null, signal: new AbortController().signal };
  const alarms = new Alarms({ db, log: createLogger({ level: "warn" }), metrics: createMetrics() });
  return Array.from(
    { length: CERTIFY_TIMES },
    () => () => certify({ db, alarms, lease: leaseOf(LEASE_MS), signer: null }, request),
  );
}

async function median(works: readonly (() => Promise<unknown>)[]): Promise<number> {
  const durations: number[] = [];
  for (const work of works) {
    const startedAt = nowMs();
    await work();
    durations.push(nowMs() - startedAt);
  }
  return percentilesOf(durations).p50;
}
