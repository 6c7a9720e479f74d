import type { BenchDatabase } from "../harness/bench-database.ts";
import { cpuRatios } from "../harness/cpu-time.ts";
import { interleave } from "../harness/interleave.ts";
import { CONNECTIONS, type Intake, measureFlood, startReceiver } from "../harness/measure-intake.ts";
import type { BenchOptions } from "../harness/options.ts";
import { type Report, rounded, tell } from "../harness/report.ts";
import { ratiosOf, spreadOf } from "../harness/spread.ts";
import type { Stage } from "../harness/stage.ts";
import { cpuTable, profileTable, ratioTable } from "../harness/tables.ts";
import type { BareExpressCalls } from "../processes/bare-express.ts";
import type { NullServerCalls } from "../processes/null-server.ts";
import type { PerRequestInsertCalls } from "../processes/per-request-insert.ts";

/** pg's own default. */
const POOL = 10;

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
