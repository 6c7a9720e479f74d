import { cpuRatios } from "../harness/cpu-time.ts";
import { type ContestantName, contestants } from "../harness/drain-contestants.ts";
import { interleave } from "../harness/interleave.ts";
import { type Drain, measureDrain } from "../harness/measure-drain.ts";
import type { BenchOptions } from "../harness/options.ts";
import { type Report, rounded, type TableOf, tell } from "../harness/report.ts";
import { ratiosOf, type Spread, spreadOf } from "../harness/spread.ts";
import type { Stage } from "../harness/stage.ts";
import { cpuTable, profileTable, ratioTable } from "../harness/tables.ts";

/** How many GETs are under way at a time, as CONFIRM_CONCURRENCY has it. */
const CONCURRENCY = 64;
const SLOW_PROVIDER_MS = 50;

const names = Object.keys(contestants) as ContestantName[];

async function drainOnce(
  stage: Stage,
  name: ContestantName,
  callbacks: number,
  profile = false,
): Promise<Drain> {
  const database = await stage.createDatabase();
  const contestant = await contestants[name](stage, database);
  try {
    return await measureDrain({
      stage,
      contestant,
      database: name === "noDatabase" ? null : database,
      callbacks,
      profile,
    });
  } finally {
    await contestant.stop();
    await database.drop();
  }
}

interface Series {
  rates: Record<ContestantName, Spread>;
  ratios: Record<string, Spread>;
  rounds: Record<string, Drain[]>;
}

async function series(stage: Stage, rounds: number, callbacks: number): Promise<Series> {
  const variants = Object.fromEntries(names.map((name) => [name, () => drainOnce(stage, name, callbacks)]));
  const figures = await interleave<Drain>(variants, rounds, tell);
  const rates = (name: ContestantName) => (figures[name] ?? []).map((round) => round.perSecond);
  return {
    rates: Object.fromEntries(names.map((name) => [name, spreadOf(rates(name))])) as Series["rates"],
    ratios: {
      ratioToNoDatabase: spreadOf(ratiosOf(rates("relay"), rates("noDatabase"))),
      ratioToGraphileWorker: spreadOf(ratiosOf(rates("relay"), rates("graphileWorker"))),
      ratioToPgBoss: spreadOf(ratiosOf(rates("relay"), rates("pgBoss"))),
      cpuRatioToNoDatabase: spreadOf(cpuRatios(figures.relay, figures.noDatabase)),
      cpuRatioToGraphileWorker: spreadOf(cpuRatios(figures.relay, figures.graphileWorker)),
      cpuRatioToPgBoss: spreadOf(cpuRatios(figures.relay, figures.pgBoss)),
    },
    rounds: figures,
  };
}

const rateTable = (title: string, { rates }: Series): TableOf => ({
  title,
  header: ["", "per second", "least", "most"],
  rows: names.map((name) => {
    const { min, median, max } = rates[name];
    return [name, ...[median, min, max].map(rounded)];
  }),
});

const medians = (spreads: Record<string, Spread>) =>
  Object.fromEntries(Object.entries(spreads).map(([name, { median }]) => [name, rounded(median)]));

/** Recorded callbacks to published events a second, against no database at all and two job queues. */
export async function drain(stage: Stage, { rounds, callbacks, profile }: BenchOptions): Promise<Report> {
  const fast = await series(stage, rounds, callbacks);
  const hot = profile ? (await drainOnce(stage, "relay", callbacks, true)).profile : undefined;
  await stage.provider.call("delay", SLOW_PROVIDER_MS);
  const slow = await series(stage, rounds, Math.ceil(callbacks / 2));
  const possible = CONCURRENCY / (SLOW_PROVIDER_MS / 1_000);
  const share = { min: 0, median: slow.rates.relay.median / possible, max: 0 };
  share.min = slow.rates.relay.min / possible;
  share.max = slow.rates.relay.max / possible;
  return {
    tables: [
      rateTable(`Drain of ${callbacks} callbacks, published events/s, the median of ${rounds} rounds`, fast),
      ratioTable(fast.ratios),
      cpuTable(fast.rounds),
      ...(hot === undefined ? [] : [profileTable(hot)]),
      rateTable(
        `The same, with a provider that takes ${SLOW_PROVIDER_MS} ms, ${CONCURRENCY} at a time`,
        slow,
      ),
      ratioTable({ ...slow.ratios, [`ratioToPossible (${possible}/s)`]: share }),
      cpuTable(slow.rounds),
    ],
    figures: {
      ...medians({ ...fast.rates, ...fast.ratios }),
      spread: { ...fast.rates, ...fast.ratios },
      slowProvider: {
        ...medians({ ...slow.rates, ...slow.ratios, ratioToPossible: share }),
        possible,
        spread: { ...slow.rates, ...slow.ratios, ratioToPossible: share },
        rounds: slow.rounds,
      },
      rounds: fast.rounds,
      profile: hot,
    },
  };
}
