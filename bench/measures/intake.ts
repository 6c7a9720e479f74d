import type { BenchDatabase } from "../harness/bench-database.ts";
import type { Child } from "../harness/child-process.ts";
import { type CpuCosts, cpuRatios } from "../harness/cpu-time.ts";
import { interleave } from "../harness/interleave.ts";
import type { BenchOptions } from "../harness/options.ts";
import type { HotSpot } from "../harness/profiler.ts";
import { type Report, rounded, tell } from "../harness/report.ts";
import { ratiosOf, spreadOf } from "../harness/spread.ts";
import type { Stage } from "../harness/stage.ts";
import { cpuTable, profileTable, ratioTable } from "../harness/tables.ts";
import { warmUp } from "../harness/warm-up.ts";
import type { BareExpressCalls } from "../processes/bare-express.ts";
import type { NullServerCalls } from "../processes/null-server.ts";
import type { PerRequestInsertCalls } from "../processes/per-request-insert.ts";
import type { RelayCalls } from "../processes/relay.ts";

/** As a provider in a rush would keep open. */
const CONNECTIONS = 64;

/** pg's own default; 20 and 40 were measured and are slower on two cores. */
const POOL = 10;

const WARM_UP_MS = 500;

export interface Intake {
  perSecond: number;
  p50: number;
  p99: number;
  cpu: CpuCosts;
  profile?: HotSpot[];
}

/** Floods a listening child and takes the clocks of everybody while it does. */
export async function measureFlood(
  stage: Stage,
  { pid, port }: { pid: number; port: number },
  ms: number,
): Promise<Intake> {
  await stage.settleDisk();
  const flood = (duration: number) =>
    stage.generator.call("flood", { port, connections: CONNECTIONS, ms: duration });
  await warmUp(pid, () => flood(WARM_UP_MS));
  const clock = stage.startCpuClock(pid);
  const { answered, failed, perSecond, latency } = await flood(ms);
  if (failed > 0) throw new Error(`${failed} callbacks were not answered 2xx`);
  return { perSecond, p50: latency.p50, p99: latency.p99, cpu: clock(answered) };
}

/** Starts the relay as a receiver only: what it records is left for others to confirm. */
export async function startReceiver(
  stage: Stage,
  database: BenchDatabase,
): Promise<Child<RelayCalls> & { port: number }> {
  const relay = stage.child<RelayCalls>("relay");
  const { port } = await relay.call("start", {
    databaseUrl: database.url,
    providerUrl: stage.provider.url,
    snsUrl: stage.sns.url,
    http: true,
    workers: false,
  });
  return { ...relay, port };
}

async function withDatabase(
  stage: Stage,
  work: (database: BenchDatabase) => Promise<Intake>,
): Promise<Intake> {
  const database = await stage.createDatabase();
  try {
    return await work(database);
  } finally {
    await database.drop();
  }
}

async function measureReceiver(
  stage: Stage,
  database: BenchDatabase,
  ms: number,
  profiled = false,
): Promise<Intake> {
  const relay = await startReceiver(stage, database);
  if (profiled) await relay.call("startProfile");
  const measured = await measureFlood(stage, relay, ms);
  const hot = profiled ? { profile: await relay.call("stopProfile") } : {};
  await relay.call("stop");
  await relay.end();
  await requireRecorded(database, Math.floor((measured.perSecond * ms) / 1_000));
  return { ...measured, ...hot };
}

/** Every answered callback must stand in the log, with its question. */
async function requireRecorded(database: BenchDatabase, atLeast: number): Promise<void> {
  const [row] = await database.query<{ callbacks: number; questions: number }>(
    "select (select count(*) from callback)::int as callbacks, (select count(*) from confirmation)::int as questions",
  );
  if (row === undefined || row.callbacks < atLeast || row.questions !== row.callbacks)
    throw new Error(`${atLeast} callbacks were answered; recorded: ${JSON.stringify(row)}`);
}

/** Durable callbacks a second, the questions' enqueueing included, against bare Express and a statement a request. */
export async function intake(stage: Stage, { rounds, ms, profile }: BenchOptions): Promise<Report> {
  const ceiling = stage.child<NullServerCalls>("null-server");
  const { port: ceilingPort } = await ceiling.call("start");

  const figures = await interleave<Intake>(
    {
      generatorCeiling: () => measureFlood(stage, { pid: ceiling.pid, port: ceilingPort }, ms),
      bare: async () => {
        const child = stage.child<BareExpressCalls>("bare-express");
        const { port } = await child.call("start");
        const measured = await measureFlood(stage, { pid: child.pid, port }, ms);
        await child.end();
        return measured;
      },
      perRequestInsert: () =>
        withDatabase(stage, async (database) => {
          const child = stage.child<PerRequestInsertCalls>("per-request-insert");
          const { port } = await child.call("start", { databaseUrl: database.url, connections: POOL });
          const measured = await measureFlood(stage, { pid: child.pid, port }, ms);
          await child.end();
          await requireRecorded(database, Math.floor((measured.perSecond * ms) / 1_000));
          return measured;
        }),
      relay: () => withDatabase(stage, (database) => measureReceiver(stage, database, ms)),
    },
    rounds,
    tell,
  );

  const hot = profile
    ? (await withDatabase(stage, (database) => measureReceiver(stage, database, ms, true))).profile
    : undefined;
  const rates = (name: string) => (figures[name] ?? []).map((round) => round.perSecond);
  const ratios = {
    ratioToBare: spreadOf(ratiosOf(rates("relay"), rates("bare"))),
    ratioToPerRequestInsert: spreadOf(ratiosOf(rates("relay"), rates("perRequestInsert"))),
  };
  const byCpu = {
    cpuRatioToBare: spreadOf(cpuRatios(figures.relay, figures.bare)),
    cpuRatioToPerRequestInsert: spreadOf(cpuRatios(figures.relay, figures.perRequestInsert)),
  };
  const middle = (name: string, of: (round: Intake) => number) =>
    rounded(spreadOf((figures[name] ?? []).map(of)).median);
  const names = Object.keys(figures);
  return {
    tables: [
      {
        title: `Intake: callbacks/s over ${CONNECTIONS} connections, the median of ${rounds} rounds`,
        header: ["", "per second", "least", "most", "answer p50 ms", "p99 ms"],
        rows: names.map((name) => {
          const { min, median, max } = spreadOf(rates(name));
          return [
            name,
            ...[median, min, max].map(rounded),
            middle(name, (r) => r.p50),
            middle(name, (r) => r.p99),
          ];
        }),
      },
      ratioTable({ ...ratios, ...byCpu }),
      cpuTable(figures),
      ...(hot === undefined ? [] : [profileTable(hot)]),
    ],
    figures: {
      ...Object.fromEntries(names.map((name) => [name, middle(name, (r) => r.perSecond)])),
      ...Object.fromEntries(
        Object.entries({ ...ratios, ...byCpu }).map(([name, { median }]) => [name, rounded(median)]),
      ),
      spread: {
        ...Object.fromEntries(names.map((name) => [name, spreadOf(rates(name))])),
        ...ratios,
        ...byCpu,
      },
      rounds: figures,
    },
  };
}
