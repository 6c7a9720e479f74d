import { interleave } from "../harness/interleave.ts";
import { bareLatency, type CostlyLatency, relayLatency } from "../harness/measure-latency.ts";
import type { BenchOptions } from "../harness/options.ts";
import { type Report, rounded, type TableOf } from "../harness/report.ts";
import { type Percentiles, ratiosOf, type Spread, spreadOf } from "../harness/spread.ts";
import type { Stage } from "../harness/stage.ts";
import { cpuTable, ratioTable } from "../harness/tables.ts";

const RATES = [10, 50, 200];

/** What the bare sequence, one callback at a time, keeps up with anywhere. */
const BARE_RATES = [10, 50];

/** Slower rates are measured for longer, so that each has as many callbacks as this one. */
const FULL_RATE = 50;

type Rounds = Record<string, CostlyLatency[]>;

const PERCENTILES = ["p50", "p95", "p99"] as const;

const column = (rounds: Rounds, name: string, percentile: keyof Percentiles) =>
  (rounds[name] ?? []).map(({ sentToAccepted }) => sentToAccepted[percentile]);

const latencyTable = (rounds: Rounds): TableOf => ({
  title: "Callback sent to accepted by SNS, ms, the median of the rounds (least to most)",
  header: ["", ...PERCENTILES],
  rows: Object.keys(rounds).map((name) => [
    name,
    ...PERCENTILES.map((percentile) => {
      const { min, median, max } = spreadOf(column(rounds, name, percentile));
      return `${rounded(median)} (${rounded(min)} to ${rounded(max)})`;
    }),
  ]),
});

/** @param pairs the relay's variant and the bare one that it is compared with. */
function ratiosOfPairs(rounds: Rounds, pairs: readonly [string, string][]) {
  const measured = pairs.filter(([name, bare]) => rounds[name] !== undefined && rounds[bare] !== undefined);
  const ratios = measured.flatMap(([name, bare]) =>
    PERCENTILES.map((percentile) => {
      const [own, reference] = [name, bare].map((one) => column(rounds, one, percentile));
      return [`${name} to ${bare} ${percentile}`, spreadOf(ratiosOf(own ?? [], reference ?? []))] as const;
    }),
  );
  return Object.fromEntries<Spread>(ratios);
}

const at = (rate: number) => `relay at ${rate}/s`;
const bareAt = (rate: number) => `bare at ${rate}/s`;

/**
 * Callback sent to SNS accepted, at three rates, against the bare sequence: one right after the other, and where
 * it keeps up also at the relay's rate, since a processor that dozes off between two takes longer.
 */
export async function latency(stage: Stage, { rounds, ms, alone }: BenchOptions): Promise<Report> {
  const long = (rate: number) => ms * Math.max(1, FULL_RATE / rate);
  const bares = {
    bare: () => bareLatency(stage, null, ms),
    ...Object.fromEntries(
      BARE_RATES.map((rate) => [bareAt(rate), () => bareLatency(stage, rate, long(rate))]),
    ),
  };
  const relays = RATES.map((rate) => [at(rate), () => relayLatency(stage, rate, long(rate))] as const);
  const variants = { ...(alone ? {} : bares), ...Object.fromEntries(relays) };
  const measured = await interleave<CostlyLatency>(variants, rounds);
  const ratios = ratiosOfPairs(measured, [
    ...RATES.map((rate): [string, string] => [at(rate), "bare"]),
    ...BARE_RATES.map((rate): [string, string] => [at(rate), bareAt(rate)]),
  ]);
  return {
    tables: [
      latencyTable(measured),
      ...ratioTable(ratios, "Ratios to the bare sequence"),
      cpuTable(measured),
    ],
    figures: { rounds: measured },
  };
}
