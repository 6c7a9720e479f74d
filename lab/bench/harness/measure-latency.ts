import { invoicePaidId } from "../../../src/events/invoice-paid.ts";
import type { BareSequenceCalls } from "../processes/bare-sequence.ts";
import type { Sent } from "../processes/load-generator.ts";
import type { RelayCalls } from "../processes/relay.ts";
import type { BenchDatabase } from "./bench-database.ts";
import { environmentOf } from "./contestants.ts";
import type { CpuCosts } from "./cpu-time.ts";
import { type Percentiles, percentilesOf } from "./spread.ts";
import type { Stage } from "./stage.ts";
import { warmUp } from "./warm-up.ts";

interface Latency {
  callbacks: number;
  /** In ms. */
  sentToAccepted: Percentiles;
}

export interface CostlyLatency extends Latency {
  cpu: CpuCosts;
}

const WARM_UP = { perSecond: 300, ms: 1_000 };

/** The whole relay in one process, as `serve` runs it, its code compiled. */
export async function startWarmRelay(stage: Stage, database: BenchDatabase) {
  const relay = stage.child<RelayCalls>("relay");
  const { port } = await relay.call("start", {
    ...environmentOf(stage, database),
    http: true,
    workers: true,
  });
  await warmUp([relay.pid], () => sendCallbacks(stage, port, WARM_UP.perSecond, WARM_UP.ms));
  return { ...relay, port };
}

/** Sends callbacks at an even rate and waits until all their events are on SNS. */
async function sendCallbacks(stage: Stage, port: number, perSecond: number, ms: number): Promise<Latency> {
  await stage.sns.call("reset", { failFirst: 0 });
  const { sent } = await stage.pace({ port, perSecond, ms });
  return await latencyOf(stage, sent);
}

/** The relay at an even rate. */
export const relayLatency = (stage: Stage, perSecond: number, ms: number): Promise<CostlyLatency> =>
  stage.withDatabase(async (database) => {
    const relay = await startWarmRelay(stage, database);
    await stage.settleDisk();
    const clock = stage.startCpuClock(relay.pid);
    const latency = await sendCallbacks(stage, relay.port, perSecond, ms);
    const cpu = clock(latency.callbacks);
    await relay.end();
    return { ...latency, cpu };
  });

/**
 * The same commits and calls made bare, one after the other.
 * @param perSecond an even rate; null: each right after the one before.
 */
export const bareLatency = (stage: Stage, perSecond: number | null, ms: number): Promise<CostlyLatency> =>
  stage.withDatabase(async (database) => {
    const bare = stage.child<BareSequenceCalls>("bare-sequence");
    await bare.call("start", environmentOf(stage, database));
    await warmUp([bare.pid], () => bare.call("run", { ms: WARM_UP.ms, perSecond: null }));
    await stage.settleDisk();
    await stage.sns.call("reset", { failFirst: 0 });
    const clock = stage.startCpuClock(bare.pid);
    const sent = await bare.call("run", { ms, perSecond });
    const cpu = clock(sent.length);
    const latency = await latencyOf(stage, sent);
    await bare.end();
    return { ...latency, cpu };
  });

async function latencyOf(stage: Stage, sent: readonly Sent[]): Promise<Latency> {
  const accepted = await acceptancesOf(stage, sent);
  return {
    callbacks: sent.length,
    sentToAccepted: percentilesOf(accepted.map((one) => one.acceptedAt - one.sentAt)),
  };
}

/** When their events were accepted by SNS, once all of them have been. */
export async function acceptancesOf(
  stage: Stage,
  sent: readonly Sent[],
): Promise<(Sent & { acceptedAt: number })[]> {
  const times = await stage.sns.call(
    "timesOf",
    sent.map(({ invoiceId }) => invoicePaidId(invoiceId)),
  );
  return sent.map((one, index) => ({ ...one, acceptedAt: times[index] ?? Number.NaN }));
}
