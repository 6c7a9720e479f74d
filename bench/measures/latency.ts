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

/** So slow that nothing else is under way when a callback comes. */
const IDLE_RATE = 20;

type Leg = "sentToAnswered" | "sentToAccepted" | "answeredToAccepted";
type Rounds = Record<string, CostlyLatency[]>;

const PERCENTILES = ["p50", "p95", "p99"] as const;

const column = (figures: Rounds, name: string, leg: Leg, percentile: keyof Percentiles) =>
  (figures[name] ?? []).map((round) => round[leg][percentile]);

function latencyTable(title: string, figures: Rounds, leg: Leg): TableOf {
  return {
    title: `${title}, ms, the median of the rounds (least to most)`,
    header: ["", ...PERCENTILES],
    rows: Object.keys(figures).map((name) => [
      name,
      ...PERCENTILES.map((percentile) => {
        const { min, median, max } = spreadOf(column(figures, name, leg, percentile));
        return `${rounded(median)} (${rounded(min)} to ${rounded(max)})`;
      }),
    ]),
  };
}

/** @param pairs the relay's variant and the bare one that it is compared with. */
function ratiosOfPairs(figures: Rounds, leg: Leg, pairs: readonly [string, string][]) {
  const measured = pairs.filter(([name, bare]) => figures[name] !== undefined && figures[bare] !== undefined);
  const ratios = measured.flatMap(([name, bare]) =>
    PERCENTILES.map((percentile) => {
      const [own, reference] = [name, bare].map((one) => column(figures, one, leg, percentile));
      return [`${name} to ${bare} ${percentile}`, spreadOf(ratiosOf(own ?? [], reference ?? []))] as const;
    }),
  );
  return Object.fromEntries<Spread>(ratios);
}

const summary = (figures: Rounds, leg: Leg) =>
  Object.fromEntries(
    Object.keys(figures).map((name) => [
      name,
      Object.fromEntries(
        PERCENTILES.map((p) => [p, rounded(spreadOf(column(figures, name, leg, p)).median)]),
      ),
    ]),
  );

const at = (rate: number) => `relay at ${rate}/s`;
const bareAt = (rate: number) => `bare at ${rate}/s`;

/**
 * Callback sent to answered, and to SNS accepted, at three rates, against the bare sequence: one right after
 * the other, and where it keeps up also at the relay's rate, since a processor that dozes off between two
 * takes longer.
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
  const figures = await interleave<CostlyLatency>(variants, rounds);
  const pairs: [string, string][] = [
    ...RATES.map((rate): [string, string] => [at(rate), "bare"]),
    ...BARE_RATES.map((rate): [string, string] => [at(rate), bareAt(rate)]),
  ];
  const answered = ratiosOfPairs(figures, "sentToAnswered", pairs);
  const accepted = ratiosOfPairs(figures, "sentToAccepted", pairs);
  return {
    tables: [
      latencyTable("Callback sent to answered", figures, "sentToAnswered"),
      ...ratioTable(answered, "Ratios to the bare commit"),
      latencyTable("Callback sent to accepted by SNS", figures, "sentToAccepted"),
      ...ratioTable(accepted, "Ratios to the bare sequence"),
      cpuTable(figures),
    ],
    figures: {
      sentToAnswered: summary(figures, "sentToAnswered"),
      sentToAccepted: summary(figures, "sentToAccepted"),
      spread: { answeredToBare: answered, acceptedToBare: accepted },
      rounds: figures,
    },
  };
}

/** From callback answered to SNS accepted when nothing else goes on and the provider answers at once. */
export async function idle(stage: Stage, { rounds, ms, alone }: BenchOptions): Promise<Report> {
  const bare = { bare: () => bareLatency(stage, null, ms) };
  const figures = await interleave<CostlyLatency>(
    { ...(alone ? {} : bare), idle: () => relayLatency(stage, IDLE_RATE, ms) },
    rounds,
  );
  const ratios = ratiosOfPairs(figures, "answeredToAccepted", [["idle", "bare"]]);
  return {
    tables: [
      latencyTable("Callback answered to accepted by SNS", figures, "answeredToAccepted"),
      ...ratioTable(ratios, "Ratios to the bare sequence"),
      cpuTable(figures),
    ],
    figures: { ...summary(figures, "answeredToAccepted"), spread: ratios, rounds: figures },
  };
}
