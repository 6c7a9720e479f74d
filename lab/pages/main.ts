/**
 * `npm run lab -- pages`: how many pages of its list a provider is asked for to stay complete, by payments a day:
 * by a sweep that finds nothing new, one with 50 new payments, one with a payment of an invoice that is 30 days
 * old, and by a daily certificate; and what a day of both costs for each payment. `--source` measures the `src` of another checkout. Exits with 1 where a bound
 * of docs/performance.md is passed.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { sql } from "kysely";
import { makeDatabase, onDatabase } from "../../test/support/postgres-server.ts";
import { runInLab, say } from "../environment/run-lab.ts";
import { type LargeList, startLargeList } from "./large-list.ts";

const { values } = parseArgs({
  options: {
    "per-day": { type: "string", default: "100,1000,10000" },
    source: { type: "string", default: resolve(import.meta.dirname, "../../src") },
  },
});
const DAYS = 38;
const DAY_MS = 86_400_000;
const PAGE = 100;

const load = (path: string) => import(resolve(values.source, path));
const { connect } = await load("platform/database/connect.ts");
const { migrateToLatest } = await load("platform/database/migrate.ts");
const { Secret } = await load("platform/values/mask.ts");
const { createLogger } = await load("platform/log/log.ts");
const { createMetrics } = await load("platform/metrics/metrics.ts");
const { Alarms } = await load("platform/alarms/alarms.ts");
const { leaseOf } = await load("platform/worker/leased-rows.ts");
const { collectionApiProvider } = await load("provider/collection-api-provider.ts");
const { runSweepJob } = await load("pipeline/reconcile/sweep/sweep.ts");
const { runCertifyJob } = await load("pipeline/reconcile/certificate/certify.ts");

const midnight = (daysBack: number) => new Date(Math.floor(Date.now() / DAY_MS - daysBack) * DAY_MS);

/** What one process of the relay has, over a list. */
async function open(databaseUrl: string, list: LargeList) {
  const { db, close } = connect(new Secret(databaseUrl));
  await migrateToLatest(db, "relay");
  await db
    .insertInto("source")
    .values({ name: "default", first_served_at: midnight(DAYS - 5) })
    .execute();
  const account = collectionApiProvider({ baseUrl: list.url, apiKey: "key" });
  const stopping = new AbortController();
  const provider = {
    ...{ getCollection: account.getCollection.bind(account), readPage: account.readPage.bind(account) },
    // Nothing is stored here, so that a certificate would ask about each: its lists are read by then.
    askInvoice: async () => {
      stopping.abort();
      return { kind: "interrupted" };
    },
  };
  const source = {
    ...{ name: "default", collectionIds: [list.collectionId], provider, ratePerSecond: null },
    ...{ liveTopicArn: "arn:aws:sns:us-east-1:123456789012:live", testTopicArn: null },
    ...{ paidStatuses: ["Paid"], invalidStatuses: ["Invalidated", "Invalid", "Expired"] },
    ...{ timeZone: "UTC", booksTimeZone: "UTC", currency: "NGN" },
    ...{ lookbackMs: 35 * DAY_MS, retentionMs: 400 * DAY_MS },
  };
  const log = createLogger({ level: "silent" });
  const alarms = new Alarms({ db, log, metrics: createMetrics() });
  const context = { db, source, alarms, log, lease: leaseOf(15_000), signer: null };
  const writtenTo = async (): Promise<number> => {
    const { rows } = await sql<{ at: string }>`select pg_current_wal_lsn() - '0/0' as at`.execute(db);
    return Number(rows[0]?.at);
  };
  const requests = async (work: () => Promise<unknown>) => {
    list.pages = 0;
    const before = await writtenTo();
    await work();
    return { pages: list.pages, bytes: (await writtenTo()) - before };
  };
  const sweep = () =>
    requests(() =>
      runSweepJob(
        { ...context, intervalMs: 0, onConfirmations: () => undefined },
        new AbortController().signal,
      ),
    );
  return {
    sweep,
    async certificate() {
      return await requests(async () => {
        // After its hour of the day it is due as soon as it is scheduled.
        await runCertifyJob(context, stopping.signal);
        await sql`update certificate set due_at = clock_timestamp()`.execute(db);
        if (!stopping.signal.aborted) await runCertifyJob(context, stopping.signal);
      });
    },
    async close() {
      await account.close();
      await close();
    },
  };
}

/** Sweeps a day, with RECONCILE_INTERVAL as it is by default. */
const SWEEPS = 144;

await runInLab("pages", { lent: process.env.DATABASE_URL, durable: false }, async ({ server }) => {
  let isWithin = true;
  const bounded = (pages: number, most: number) => {
    if (pages > most) isWithin = false;
    return pages > most ? `${pages} (over ${Math.floor(most)})` : `${pages}`;
  };
  say(
    "payments a day | first sweep | steady | 50 new | one late | daily certificate, for each page | a payment",
  );
  for (const perDay of values["per-day"].split(",").map(Number)) {
    const list = await startLargeList(perDay, DAYS);
    const relay = await open(onDatabase(server.url, await makeDatabase(server.url)), list);
    const whole = Math.ceil((perDay * DAYS) / PAGE);
    const first = await relay.sweep();
    await relay.sweep();
    const steady = await relay.sweep();
    list.add(50, midnight(0));
    const some = await relay.sweep();
    list.add(1, midnight(30), new Date());
    const late = await relay.sweep();
    const certificate = await relay.certificate();
    await relay.close();
    await list.close();
    const most = perDay === 100 ? 10 : 5 + 1.2 * ((2 * perDay) / PAGE);
    const ofOne = (figure: "pages" | "bytes") => (SWEEPS * steady[figure] + certificate[figure]) / perDay;
    const figures = [
      ...[first.pages, bounded(steady.pages, most), some.pages, late.pages],
      `${bounded(certificate.pages, 2.2 * whole)}, ${(certificate.pages / whole).toFixed(2)}`,
      `${ofOne("pages").toFixed(1)} requests, ${(ofOne("bytes") / 1_000).toFixed(1)} kB of WAL`,
    ];
    say(`${String(perDay).padStart(14)} | ${figures.join(" | ")}`);
  }
  return isWithin;
});
