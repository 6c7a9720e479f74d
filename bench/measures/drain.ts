import { bytesByRelationTable } from "../harness/bytes-tables.ts";
import type { ContestantName } from "../harness/contestants.ts";
import {
  bytesOf,
  drainBytesTable,
  drainFigures,
  drainOnce,
  drainSeries,
  drainTables,
} from "../harness/drain-series.ts";
import type { BenchOptions } from "../harness/options.ts";
import { type Report, rounded } from "../harness/report.ts";
import { spreadOf } from "../harness/spread.ts";
import type { Stage } from "../harness/stage.ts";
import { profileTable, ratioTable } from "../harness/tables.ts";

/** How many GETs are under way at a time, as CONFIRM_CONCURRENCY has it. */
const CONCURRENCY = 64;
const SLOW_PROVIDER_MS = 50;

const ALL: ContestantName[] = ["noDatabase", "graphileWorker", "pgBoss", "relay"];

const slowly = <Figures>(rounds: Record<string, Figures>) =>
  Object.fromEntries(Object.entries(rounds).map(([name, all]) => [`${name}, slow provider`, all]));

/**
 * Recorded callbacks to published events a second, against no database at all and two job queues with our
 * levers.
 */
export async function drain(stage: Stage, options: BenchOptions): Promise<Report> {
  const { rounds, callbacks, profile, alone } = options;
  const names: ContestantName[] = alone ? ["relay"] : ALL;
  const fast = await drainSeries(stage, names, { rounds, callbacks });
  const hot = profile ? (await drainOnce(stage, "relay", callbacks, true)).profile : undefined;
  await stage.provider.call("delay", SLOW_PROVIDER_MS);
  const slow = await drainSeries(stage, names, { rounds, callbacks: Math.ceil(callbacks / 2) });
  const possible = CONCURRENCY / (SLOW_PROVIDER_MS / 1_000);
  const share = spreadOf((slow.rounds.relay ?? []).map(({ perSecond }) => perSecond / possible));
  const slowTitle = `The same, with a provider that takes ${SLOW_PROVIDER_MS} ms, ${CONCURRENCY} at a time`;
  return {
    tables: [
      ...drainTables(`Drain of ${callbacks} callbacks, events/s, the median of ${rounds} rounds`, fast),
      drainBytesTable(fast),
      bytesByRelationTable("Whose bytes they are, the relay's tables and indexes", bytesOf(fast).relay ?? []),
      ...(hot === undefined ? [] : [profileTable(hot)]),
      ...drainTables(slowTitle, slow),
      ...ratioTable({ [`ratioToPossible (${possible}/s)`]: share }, "Share of what is possible"),
    ],
    figures: {
      ...drainFigures(fast),
      slowProvider: { ...drainFigures(slow), possible, ratioToPossible: rounded(share.median), share },
      rounds: { ...fast.rounds, ...slowly(slow.rounds) },
      profile: hot,
    },
  };
}
