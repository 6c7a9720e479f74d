import type { RelayCalls } from "../processes/relay.ts";
import type { BenchDatabase } from "./bench-database.ts";
import type { Child } from "./child-process.ts";
import type { CpuCosts } from "./cpu-time.ts";
import type { HotSpot } from "./profiler.ts";
import type { Stage } from "./stage.ts";
import { warmUp } from "./warm-up.ts";

/** As a provider in a rush would keep open. */
export const CONNECTIONS = 256;

const WARM_UP_MS = 500;

export interface Intake {
  perSecond: number;
  p50: number;
  p99: number;
  cpu: CpuCosts;
  profile?: HotSpot[];
}

/** Floods a listening child and takes the clocks of everybody while it does. */
export async function measureFlood(
  stage: Stage,
  { pid, port }: { pid: number; port: number },
  ms: number,
): Promise<Intake> {
  await stage.settleDisk();
  const flood = (duration: number) =>
    stage.generator.call("flood", { port, connections: CONNECTIONS, ms: duration });
  await warmUp(pid, () => flood(WARM_UP_MS));
  const clock = stage.startCpuClock(pid);
  const { answered, failed, perSecond, latency } = await flood(ms);
  if (failed > 0) throw new Error(`${failed} callbacks were not answered 2xx`);
  return { perSecond, p50: latency.p50, p99: latency.p99, cpu: clock(answered) };
}

/** Starts the relay as a receiver only: what it records is left for others to confirm. */
export async function startReceiver(
  stage: Stage,
  database: BenchDatabase,
): Promise<Child<RelayCalls> & { port: number }> {
  const relay = stage.child<RelayCalls>("relay");
  const { port } = await relay.call("start", {
    databaseUrl: database.url,
    providerUrl: stage.provider.url,
    snsUrl: stage.sns.url,
    http: true,
    workers: false,
  });
  return { ...relay, port };
}
