import { interleave } from "../harness/interleave.ts";
import { bareLatency, type Latency, relayLatency } from "../harness/measure-latency.ts";
import type { BenchOptions } from "../harness/options.ts";
import { type Report, rounded, type TableOf, tell } from "../harness/report.ts";
import { type Percentiles, ratiosOf, type Spread, spreadOf } from "../harness/spread.ts";
import type { Stage } from "../harness/stage.ts";
import { ratioTable } from "../harness/tables.ts";

const RATES = [50, 200, 1_000];

/** So slow that nothing else is under way when a callback comes. */
const IDLE_RATE = 20;

type Leg = "sentToAnswered" | "sentToAccepted" | "answeredToAccepted";
type Rounds = Record<string, Latency[]>;

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

function ratiosToBare(figures: Rounds, leg: Leg): Record<string, Spread> {
  const names = Object.keys(figures).filter((name) => name !== "bare");
  return Object.fromEntries(
    names.flatMap((name) =>
      PERCENTILES.map((percentile) => [
        `${name} ${percentile}`,
        spreadOf(ratiosOf(column(figures, name, leg, percentile), column(figures, "bare", leg, percentile))),
      ]),
    ),
  );
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

/** Callback sent to answered, and to SNS accepted, at three rates, against the bare sequence. */
export async function latency(stage: Stage, { rounds, ms }: BenchOptions): Promise<Report> {
  const figures = await interleave<Latency>(
    {
      bare: () => bareLatency(stage, ms),
      ...Object.fromEntries(RATES.map((rate) => [`at ${rate}/s`, () => relayLatency(stage, rate, ms)])),
    },
    rounds,
    tell,
  );
  const answered = ratiosToBare(figures, "sentToAnswered");
  const accepted = ratiosToBare(figures, "sentToAccepted");
  return {
    tables: [
      latencyTable("Callback sent to answered", figures, "sentToAnswered"),
      { ...ratioTable(answered), title: "Ratios to the bare commit" },
      latencyTable("Callback sent to accepted by SNS", figures, "sentToAccepted"),
      { ...ratioTable(accepted), title: "Ratios to the bare sequence" },
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
export async function idle(stage: Stage, { rounds, ms }: BenchOptions): Promise<Report> {
  const figures = await interleave<Latency>(
    { bare: () => bareLatency(stage, ms), idle: () => relayLatency(stage, IDLE_RATE, ms) },
    rounds,
    tell,
  );
  const ratios = ratiosToBare(figures, "answeredToAccepted");
  return {
    tables: [
      latencyTable("Callback answered to accepted by SNS", figures, "answeredToAccepted"),
      { ...ratioTable(ratios), title: "Ratios to the bare sequence" },
    ],
    figures: { ...summary(figures, "answeredToAccepted"), spread: ratios, rounds: figures },
  };
}
