import type { ContestantName } from "../harness/contestants.ts";
import { drainSeries, drainTables } from "../harness/drain-series.ts";
import { interleave } from "../harness/interleave.ts";
import { measurePath, type Path, startOneProcess, startTwoProcesses } from "../harness/measure-path.ts";
import type { BenchOptions } from "../harness/options.ts";
import { rateTable, relayRatios } from "../harness/rates.ts";
import type { Report } from "../harness/report.ts";
import type { Stage } from "../harness/stage.ts";
import { cpuTable, ratioTable } from "../harness/tables.ts";

const ALL: ContestantName[] = [
  "noDatabase",
  "graphileWorkerAsDocumented",
  "graphileWorker",
  "pgBossAsDocumented",
  "pgBoss",
  "relay",
];

/**
 * The job queues twice, as their documentation shows them and with our levers; and the whole path, from HTTP
 * to SNS, in one process and in two.
 */
export async function peers(stage: Stage, options: BenchOptions): Promise<Report> {
  const { rounds, callbacks, ms, alone } = options;
  const queues = await drainSeries(stage, alone ? ["relay"] : ALL, { rounds, callbacks });
  const start = { oneProcess: startOneProcess, twoProcesses: startTwoProcesses };
  const variants = Object.entries(start).map(([name, begin]) => [
    name,
    () => stage.withDatabase(async (database) => measurePath(stage, await begin(stage, database), ms)),
  ]);
  const path = await interleave<Path>(Object.fromEntries(variants), rounds);
  const ratios = relayRatios(path, "twoProcesses");
  return {
    tables: [
      ...drainTables(`Drain of ${callbacks} callbacks, events/s, the median of ${rounds} rounds`, queues),
      rateTable(`The whole path, HTTP to SNS: as many as come in ${ms / 1_000} s, events/s`, path, {
        "answered/s": ({ answeredPerSecond }) => answeredPerSecond,
        "answer p50 ms": ({ p50 }) => p50,
        "p99 ms": ({ p99 }) => p99,
      }),
      ...ratioTable(ratios, "Two processes by one, round by round"),
      cpuTable(path),
    ],
    figures: { rounds: { ...queues.rounds, ...path } },
  };
}
