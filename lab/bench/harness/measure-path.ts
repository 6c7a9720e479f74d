import type { RelayCalls } from "../processes/relay.ts";
import type { BenchDatabase } from "./bench-database.ts";
import { nowMs } from "./clock.ts";
import { environmentOf } from "./contestants.ts";
import type { CpuCosts } from "./cpu-time.ts";
import { RUSH } from "./measure-intake.ts";
import type { Stage } from "./stage.ts";
import { warmUp } from "./warm-up.ts";

/** The relay with HTTP and workers, in one process or several. */
interface WholeRelay {
  port: number;
  pids: readonly number[];
  stop(): Promise<void>;
}

export interface Path {
  /** Events a second, from the first callback to the last acceptance. */
  perSecond: number;
  answeredPerSecond: number;
  p50: number;
  p99: number;
  /** `measured` is all the relay's processes together. */
  cpu: CpuCosts;
}

async function startRelays(
  stage: Stage,
  database: BenchDatabase,
  roles: readonly { http: boolean; workers: boolean }[],
): Promise<WholeRelay> {
  const relays = roles.map((role) => ({ role, child: stage.child<RelayCalls>("relay") }));
  const started = await Promise.all(
    relays.map(({ role, child }) => child.call("start", { ...environmentOf(stage, database), ...role })),
  );
  return {
    port: Math.max(...started.map(({ port }) => port)),
    pids: relays.map(({ child }) => child.pid),
    stop: async () => {
      for (const { child } of relays) await child.end();
    },
  };
}

/** `serve` */
export const startOneProcess = (stage: Stage, database: BenchDatabase): Promise<WholeRelay> =>
  startRelays(stage, database, [{ http: true, workers: true }]);

/** `serve --no-workers` and `serve --workers-only` side by side. */
export const startTwoProcesses = (stage: Stage, database: BenchDatabase): Promise<WholeRelay> =>
  startRelays(stage, database, [
    { http: true, workers: false },
    { http: false, workers: true },
  ]);

const WARM_UP_MS = 500;

/** Takes as many callbacks as come for so long, and waits until the last event is on SNS; stops the relay. */
export async function measurePath(stage: Stage, relay: WholeRelay, ms: number): Promise<Path> {
  const { port, pids } = relay;
  const rush = async (duration: number) => {
    await stage.sns.call("reset", { failFirst: 0 });
    const startedAt = nowMs();
    const flooded = await stage.flood({ port, connections: RUSH, ms: duration });
    const endedAt = await stage.sns.call("whenAccepted", flooded.answered);
    return { ...flooded, seconds: (endedAt - startedAt) / 1_000 };
  };
  await warmUp(pids, () => rush(WARM_UP_MS));
  await stage.settleDisk();
  const clock = stage.startCpuClock(...pids);
  const { answered, seconds, perSecond, latency } = await rush(ms);
  const cpu = clock(answered);
  await relay.stop();
  return {
    perSecond: answered / seconds,
    answeredPerSecond: perSecond,
    p50: latency.p50,
    p99: latency.p99,
    cpu,
  };
}
