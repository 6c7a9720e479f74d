import { findInvoices } from "../../../src/operations/list-invoices.ts";
import { readStatus } from "../../../src/operations/status-facts.ts";
import { readTimeline } from "../../../src/operations/timeline-reading.ts";
import { makePartitions } from "../../../src/pipeline/receive/log/partitions.ts";
import { certify } from "../../../src/pipeline/reconcile/certificate/certify.ts";
import { Alarms } from "../../../src/platform/alarms/alarms.ts";
import { readSettings, SERVE_REQUIRES, sourcesOf } from "../../../src/platform/config/settings.ts";
import { connect } from "../../../src/platform/database/connect.ts";
import { createLogger } from "../../../src/platform/log/log.ts";
import { createMetrics } from "../../../src/platform/metrics/metrics.ts";
import { Secret } from "../../../src/platform/values/mask.ts";
import { leaseOf } from "../../../src/platform/worker/leased-rows.ts";
import { withReconcileSources } from "../../../src/runtime/sources.ts";
import { fillPayments } from "../../volume/fill-payments.ts";
import { nowMs } from "../harness/child.ts";
import { COLLECTION_ID, relayEnvironment, TOPIC_ARN } from "../harness/payment.ts";
import { medianTable, type Report, spreadTable } from "../harness/report.ts";
import { interleave, percentilesOf, ratiosOf } from "../harness/rounds.ts";
import type { BenchDatabase, Stage } from "../harness/stage.ts";
import type { BenchOptions } from "../main.ts";
import { measureDrain, startWorkers } from "./drain.ts";
import { measureFloods, RUSH } from "./intake.ts";

/** In ms. */
const READINGS = ["timeline", "search", "newest", "status", "certify"] as const;
type Readings = Record<(typeof READINGS)[number], number>;

/** Callbacks a second, events a second, and the readings. */
type Growth = Record<"intake" | "drain", number> & Readings;

const DAY_MS = 86_400_000;
const TIMES = 100;
const CERTIFY_TIMES = 5;

/** So many payments are certified, however many there are. */
const CERTIFIED = 1_000;

/** The median, in ms. */
async function median(works: Iterable<() => Promise<unknown>>): Promise<number> {
  const durations: number[] = [];
  for (const work of works) {
    const startedAt = nowMs();
    await work();
    durations.push(nowMs() - startedAt);
  }
  return percentilesOf(durations).p50;
}

/** A payment's timeline, a search by reference, the newest payments, the status, and a certificate of 1,000 payments. */
async function measureReads(stage: Stage, database: BenchDatabase): Promise<Readings> {
  const { db, close } = connect(new Secret(database.url), { max: 4 });
  const some = await database.query<{ id: string; reference: string }>(
    "select id, reference from invoice where reference is not null order by md5(id::text) limit $1",
    [TIMES],
  );
  const each = (read: (invoice: (typeof some)[number]) => Promise<unknown>) =>
    median(some.map((invoice) => () => read(invoice)));
  const page = { from: null, limit: 20 };
  const ofDatabase = {
    timeline: await each(({ id }) => readTimeline(db, id)),
    search: await each(({ reference }) => findInvoices(db, { reference }, page)),
    newest: await each(() => findInvoices(db, {}, page)),
    status: await each(() => readStatus(db, { sources: null, intervalMs: DAY_MS })),
  };
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
  const settings = readSettings(relayEnvironment(stage.addresses(database), COLLECTION_ID), SERVE_REQUIRES);
  const alarms = new Alarms({ db, log: createLogger({ level: "warn" }), metrics: createMetrics() });
  const deps = { db, alarms, lease: leaseOf(15_000), signer: null };
  const window = {
    from: payments.at(-1)?.at ?? new Date(),
    to: new Date((payments[0]?.at.getTime() ?? 0) + 1),
  };
  const request = { window, collectionId: null, signal: new AbortController().signal };
  const certifying = await withReconcileSources(sourcesOf(settings), settings, async ([source]) => {
    if (source === undefined) throw new Error("Nothing is reconciled");
    return await median(
      Array.from({ length: CERTIFY_TIMES }, () => () => certify(deps, { ...request, source })),
    );
  });
  await close();
  return { ...ofDatabase, certify: certifying };
}

/** Payments of the past, one every 3.1 s: ten million in a year. */
async function fillHistory({ url, query }: BenchDatabase, rows: number): Promise<void> {
  const { db, close } = connect(new Secret(url), { max: 1 });
  for (let month = 12; month >= 0; month -= 3)
    await makePartitions(db, new Date(Date.now() - month * 31 * DAY_MS));
  await close();
  const everySeconds = 3.1;
  const from = new Date(Math.floor(Date.now() / 60_000) * 60_000 - rows * everySeconds * 1_000);
  await fillPayments(query, rows, { from, everySeconds, topicArn: TOPIC_ARN });
}

async function measure(
  stage: Stage,
  database: BenchDatabase,
  { ms, callbacks }: BenchOptions,
): Promise<Growth> {
  // No round writes out what the one before left dirty, and the code is to be warm.
  await stage.settleDisk();
  await measureReads(stage, database);
  const reads = await measureReads(stage, database);
  const receiver = await stage.relay(database, { http: true, workers: false });
  const [flood] = await measureFloods(stage, receiver, ms, [RUSH]);
  await receiver.end();
  // The callbacks of intake have been measured, and are not to be drained as well.
  await database.query("delete from confirmation where state = 'due'");
  const workers = await startWorkers(stage, database);
  const drain = await measureDrain(stage, database, workers, callbacks);
  await workers.end();
  await database.query("vacuum analyze confirmation");
  return { intake: flood?.perSecond ?? 0, drain: drain.perSecond, ...reads };
}

/** The same work with an empty log, with `--rows` payments in every table, and with `--long` ten times as many. */
export async function growth(stage: Stage, options: BenchOptions): Promise<Report> {
  const full = options.long ? [options.rows, 10 * options.rows] : [options.rows];
  const measures: Record<string, () => Promise<Growth>> = {};
  // Each is kept for all rounds: every one of them has the rows of the rounds before.
  for (const rows of [CERTIFIED, ...full]) {
    const database = await stage.createDatabase();
    await fillHistory(database, rows);
    measures[`${rows} payments`] = () => measure(stage, database, options);
  }
  const figures = await interleave<Growth>(measures, options.rounds);
  const [empty = [], ...others] = Object.values(figures);
  const ratios = others.flatMap((own, place) =>
    (["intake", "drain", ...READINGS] as const).map((of) => {
      const [one, other] = [own, empty].map((rounds) => rounds.map((round) => round[of])) as [
        number[],
        number[],
      ];
      // A rate should not fall, a duration should not rise: both as "share of the empty figure".
      const isRate = of === "intake" || of === "drain";
      return [`${of}, ${full[place]} payments`, isRate ? ratiosOf(one, other) : ratiosOf(other, one)];
    }),
  );
  return {
    tables: [
      medianTable<Growth>("Growth: the same work with more rows in the log", figures, {
        "intake/s": ({ intake }) => intake,
        "drain/s": ({ drain }) => drain,
        ...Object.fromEntries(READINGS.map((name) => [`${name} ms`, (one: Growth) => one[name]])),
      }),
      ...spreadTable("Share of the first row; 1 is no change, less is slower", Object.fromEntries(ratios)),
    ],
    figures: { rounds: figures },
  };
}
