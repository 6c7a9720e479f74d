import type { BenchDatabase } from "../harness/bench-database.ts";
import { interleave } from "../harness/interleave.ts";
import { type Intake, measureFloods, RUSH, startReceiver } from "../harness/measure-intake.ts";
import type { BenchOptions } from "../harness/options.ts";
import type { HotSpot } from "../harness/profiler.ts";
import { rateTable, relayRatios } from "../harness/rates.ts";
import type { Report } from "../harness/report.ts";
import type { Stage } from "../harness/stage.ts";
import { cpuTable, profileTable, ratioTable } from "../harness/tables.ts";
import type { BareExpressCalls } from "../processes/bare-express.ts";
import type { NullServerCalls } from "../processes/null-server.ts";
import type { PerRequestInsertCalls } from "../processes/per-request-insert.ts";

/** One is not the other: over few connections all wait for one commit, over many each commit takes many. */
const CONNECTIONS = [64, RUSH] as const;

/** By number of connections. */
type Floods = Record<(typeof CONNECTIONS)[number], Intake>;

/** pg's own default. */
const POOL = 10;

async function bare(stage: Stage, ms: number): Promise<Floods> {
  const child = stage.child<BareExpressCalls>("bare-express");
  const { port } = await child.call("start");
  const measured = await measureFloods(stage, { pid: child.pid, port }, CONNECTIONS, ms);
  await child.end();
  return measured;
}

async function perRequestInsert(stage: Stage, database: BenchDatabase, ms: number): Promise<Floods> {
  const child = stage.child<PerRequestInsertCalls>("per-request-insert");
  const { port } = await child.call("start", { databaseUrl: database.url, connections: POOL });
  const measured = await measureFloods(stage, { pid: child.pid, port }, CONNECTIONS, ms);
  await child.end();
  await requireRecorded(database, measured, ms);
  return measured;
}

async function relay(stage: Stage, database: BenchDatabase, ms: number): Promise<Floods> {
  const receiver = await startReceiver(stage, database);
  const measured = await measureFloods(stage, receiver, CONNECTIONS, ms);
  await receiver.end();
  await requireRecorded(database, measured, ms);
  return measured;
}

async function profileOf(stage: Stage, database: BenchDatabase, ms: number): Promise<HotSpot[]> {
  const receiver = await startReceiver(stage, database);
  await receiver.call("startProfile");
  await measureFloods(stage, receiver, [RUSH], ms);
  const hot = await receiver.call("stopProfile");
  await receiver.end();
  return hot;
}

/** Every answered callback must stand in the log, with its confirmation. */
async function requireRecorded(database: BenchDatabase, measured: Floods, ms: number): Promise<void> {
  const answered = CONNECTIONS.reduce((sum, count) => sum + (measured[count].perSecond * ms) / 1_000, 0);
  const [row] = await database.query<{ callbacks: number; confirmations: number }>(
    `select (select count(*) from callback)::int as callbacks,
      (select count(*) from confirmation)::int as confirmations`,
  );
  if (row === undefined || row.callbacks < Math.floor(answered) || row.confirmations !== row.callbacks)
    throw new Error(`${Math.floor(answered)} callbacks were answered; recorded: ${JSON.stringify(row)}`);
}

/**
 * Durable callbacks a second, the opening of confirmations included, against bare Express and a statement a
 * request, over few connections and over many.
 */
export async function intake(stage: Stage, { rounds, ms, profile, alone }: BenchOptions): Promise<Report> {
  const ceiling = stage.child<NullServerCalls>("null-server");
  const { port } = await ceiling.call("start");
  const references = {
    generatorCeiling: () => measureFloods(stage, { pid: ceiling.pid, port }, CONNECTIONS, ms),
    bare: () => bare(stage, ms),
    perRequestInsert: () => stage.withDatabase((database) => perRequestInsert(stage, database, ms)),
  };
  const floods = await interleave<Floods>(
    {
      ...(alone ? {} : references),
      relay: () => stage.withDatabase((database) => relay(stage, database, ms)),
    },
    rounds,
  );
  const hot = profile ? await stage.withDatabase((database) => profileOf(stage, database, ms)) : undefined;
  const measured = CONNECTIONS.map((count) => {
    const each = Object.entries(floods).map(([name, all]) => [name, all.map((flood) => flood[count])]);
    const figures: Record<string, Intake[]> = Object.fromEntries(each);
    return { count, figures, ratios: relayRatios(figures) };
  });
  return {
    tables: [
      ...measured.flatMap(({ count, figures, ratios }) => [
        rateTable(`Intake: callbacks/s over ${count} connections, the median of ${rounds} rounds`, figures, {
          "answer p50 ms": ({ p50 }) => p50,
          "p99 ms": ({ p99 }) => p99,
        }),
        ...ratioTable(ratios),
        cpuTable(figures),
      ]),
      ...(hot === undefined ? [] : [profileTable(hot)]),
    ],
    figures: {
      rounds: Object.fromEntries(
        measured.flatMap(({ count, figures }) =>
          Object.entries(figures).map(([name, all]) => [`${name}, ${count} connections`, all]),
        ),
      ),
      profile: hot,
    },
  };
}
