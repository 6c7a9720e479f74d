import type { RelayCalls } from "../processes/relay.ts";
import type { BenchDatabase } from "./bench-database.ts";
import type { Child } from "./child-process.ts";
import { environmentOf } from "./contestants.ts";
import type { CpuCosts } from "./cpu-time.ts";
import type { HotSpot } from "./profiler.ts";
import type { Stage } from "./stage.ts";
import { warmUp } from "./warm-up.ts";

/** Connections that a provider in a rush would keep open. */
export const RUSH = 256;

const WARM_UP_MS = 500;

export interface Intake {
  perSecond: number;
  p50: number;
  p99: number;
  cpu: CpuCosts;
  profile?: HotSpot[];
}

/**
 * Floods a listening child for so many ms over each of these numbers of connections, one after the other, and
 * takes the clocks of everybody while it does.
 */
export async function measureFloods<Connections extends number>(
  stage: Stage,
  { pid, port }: { pid: number; port: number },
  counts: readonly Connections[],
  ms: number,
): Promise<Record<Connections, Intake>> {
  await warmUp([pid], () => stage.flood({ port, connections: RUSH, ms: WARM_UP_MS }));
  const measured: [Connections, Intake][] = [];
  for (const connections of counts) {
    await stage.settleDisk();
    const clock = stage.startCpuClock(pid);
    const { answered, perSecond, latency } = await stage.flood({ port, connections, ms });
    measured.push([connections, { perSecond, p50: latency.p50, p99: latency.p99, cpu: clock(answered) }]);
  }
  return Object.fromEntries(measured) as Record<Connections, Intake>;
}

/** Starts the relay as a receiver only: what it records is left for others to confirm. */
export async function startReceiver(
  stage: Stage,
  database: BenchDatabase,
): Promise<Child<RelayCalls> & { port: number }> {
  const relay = stage.child<RelayCalls>("relay");
  const { port } = await relay.call("start", {
    ...environmentOf(stage, database),
    http: true,
    workers: false,
  });
  return { ...relay, port };
}
