import type { BytesPerPayment } from "./bytes-per-payment.ts";
import { type ContestantName, contestants } from "./contestants.ts";
import { interleave } from "./interleave.ts";
import { type Drain, measureDrain } from "./measure-drain.ts";
import { rateTable, relayRatios } from "./rates.ts";
import type { TableOf } from "./report.ts";
import type { Spread } from "./spread.ts";
import type { Stage } from "./stage.ts";
import { cpuTable, ratioTable } from "./tables.ts";

/** One drain of one contestant on a database of its own. */
export const drainOnce = (
  stage: Stage,
  name: ContestantName,
  callbacks: number,
  profile = false,
): Promise<Drain> =>
  stage.withDatabase(async (database) => {
    const contestant = await contestants[name](stage, database);
    try {
      return await measureDrain({ stage, contestant, database, callbacks, profile });
    } finally {
      await contestant.stop();
    }
  });

/** What several contestants drained, a figure for each round. */
export interface DrainSeries {
  rounds: Record<string, Drain[]>;
  ratios: Record<string, Spread>;
}

export async function drainSeries(
  stage: Stage,
  names: readonly ContestantName[],
  { rounds, callbacks }: { rounds: number; callbacks: number },
): Promise<DrainSeries> {
  const variants = Object.fromEntries(names.map((name) => [name, () => drainOnce(stage, name, callbacks)]));
  const figures = await interleave<Drain>(variants, rounds);
  return { rounds: figures, ratios: relayRatios(figures) };
}

/** Rates, ratios and processor time of a series. */
export const drainTables = (title: string, { rounds, ratios }: DrainSeries): TableOf[] => [
  rateTable(title, rounds),
  ...ratioTable(ratios),
  cpuTable(rounds),
];

/** What the relay wrote. */
export const bytesOf = ({ rounds }: DrainSeries): BytesPerPayment[] =>
  (rounds.relay ?? []).map(({ bytes }) => bytes);
