import { invoicePaidId } from "../../../src/events/invoice-paid.ts";
import { type CpuCosts, warmUp } from "../harness/cpu.ts";
import { cpuTable, type Report, spreadTable } from "../harness/report.ts";
import { interleave, type Percentiles, percentilesOf, ratiosOf } from "../harness/rounds.ts";
import type { BenchDatabase, Stage } from "../harness/stage.ts";
import type { BenchOptions } from "../main.ts";
import type { BareSequenceCalls } from "../processes/bare-sequence.ts";
import type { Sent } from "../processes/load-generator.ts";

const RATES = [10, 50, 200];

/** The bare sequence, one callback at a time, keeps up with these anywhere. */
const BARE_RATES = [10, 50];

/** Slower rates are measured for longer, so that each has as many callbacks as this one. */
const FULL_RATE = 50;

const WARM_UP = { perSecond: 300, ms: 1_000 };

interface Latency {
  callbacks: number;
  /** In ms. */
  sentToAccepted: Percentiles;
  cpu: CpuCosts;
}

/** From sent to accepted by SNS, in ms, of each callback, once all events are on SNS. */
export async function sentToAccepted({ sns }: Stage, sent: readonly Sent[]): Promise<number[]> {
  const times = await sns.call(
    "timesOf",
    sent.map(({ invoiceId }) => invoicePaidId(invoiceId)),
  );
  return sent.map(({ sentAt }, index) => (times[index] ?? Number.NaN) - sentAt);
}

/** The whole relay in one process, as `serve` runs it, its code compiled. */
export async function startWarmRelay(stage: Stage, database: BenchDatabase) {
  const relay = await stage.relay(database, { http: true, workers: true });
  await warmUp(relay.pid, async () => {
    const { sent } = await stage.pace({ port: relay.port, ...WARM_UP });
    await sentToAccepted(stage, sent);
  });
  return relay;
}

async function measure(stage: Stage, pid: number, send: () => Promise<Sent[]>): Promise<Latency> {
  await stage.settleDisk();
  await stage.sns.call("reset");
  const clock = stage.startCpuClock(pid);
  const sent = await send();
  const accepted = await sentToAccepted(stage, sent);
  return { callbacks: sent.length, sentToAccepted: percentilesOf(accepted), cpu: clock(sent.length) };
}

/** The relay at an even rate. */
const relayLatency = (stage: Stage, perSecond: number, ms: number) =>
  stage.withDatabase(async (database) => {
    const { pid, port, end } = await startWarmRelay(stage, database);
    const send = async () => (await stage.pace({ port, perSecond, ms })).sent;
    return await measure(stage, pid, send).finally(end);
  });

/**
 * The same commits and calls made bare, one after the other.
 * @param perSecond an even rate; null: each right after the one before.
 */
const bareLatency = (stage: Stage, perSecond: number | null, ms: number) =>
  stage.withDatabase(async (database) => {
    const bare = stage.child<BareSequenceCalls>("bare-sequence");
    await bare.call("start", stage.addresses(database));
    await warmUp(bare.pid, () => bare.call("run", { ms: WARM_UP.ms, perSecond: null }));
    return await measure(stage, bare.pid, () => bare.call("run", { ms, perSecond })).finally(bare.end);
  });

const PERCENTILES = ["p50", "p95", "p99"] as const;

/**
 * Callback sent to SNS accepted, at three rates, against the bare sequence: one right after the other, and where
 * it keeps up also at the relay's rate, since a processor that dozes off between two takes longer.
 */
export async function latency(stage: Stage, { rounds, ms, alone }: BenchOptions): Promise<Report> {
  const long = (rate: number) => ms * Math.max(1, FULL_RATE / rate);
  const bares = BARE_RATES.map((rate) => [`bare at ${rate}/s`, () => bareLatency(stage, rate, long(rate))]);
  const relays = RATES.map((rate) => [`relay at ${rate}/s`, () => relayLatency(stage, rate, long(rate))]);
  const variants = alone ? relays : [["bare", () => bareLatency(stage, null, ms)], ...bares, ...relays];
  const measured = await interleave<Latency>(Object.fromEntries(variants), rounds);
  const column = (name: string, percentile: keyof Percentiles) =>
    (measured[name] ?? []).map((one) => one.sentToAccepted[percentile]);
  const durations = Object.keys(measured).flatMap((name) =>
    PERCENTILES.map((percentile) => [`${name} ${percentile}`, column(name, percentile)]),
  );
  const ratios = RATES.flatMap((rate) =>
    ["bare", `bare at ${rate}/s`]
      .filter((bare) => bare in measured)
      .flatMap((bare) =>
        PERCENTILES.map((percentile) => [
          `relay at ${rate}/s to ${bare} ${percentile}`,
          ratiosOf(column(`relay at ${rate}/s`, percentile), column(bare, percentile)),
        ]),
      ),
  );
  return {
    tables: [
      ...spreadTable("Callback sent to accepted by SNS, ms", Object.fromEntries(durations)),
      ...spreadTable("Ratios to the bare sequence", Object.fromEntries(ratios)),
      cpuTable(measured),
    ],
    figures: { rounds: measured },
  };
}
