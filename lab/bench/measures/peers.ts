import { contestants } from "../harness/contestants.ts";
import { drainSeries, drainTables } from "../harness/drain-series.ts";
import type { BenchOptions } from "../harness/options.ts";
import type { Report } from "../harness/report.ts";
import type { Stage } from "../harness/stage.ts";

const ALL = Object.keys(contestants) as (keyof typeof contestants)[];

/** The drain beside those of two job queues: as their documentation shows them, and with our levers. */
export async function peers(stage: Stage, { rounds, callbacks, alone }: BenchOptions): Promise<Report> {
  const queues = await drainSeries(stage, alone ? ["relay"] : ALL, { rounds, callbacks });
  const title = `Drain of ${callbacks} callbacks, events/s, the median of ${rounds} rounds`;
  return { tables: drainTables(title, queues), figures: { rounds: queues.rounds } };
}
