import type { GraphileWorkerCalls } from "../processes/graphile-worker.ts";
import type { PgBossCalls } from "../processes/pg-boss.ts";
import type { RelayCalls } from "../processes/relay.ts";
import type { BenchDatabase } from "./bench-database.ts";
import type { HotSpot } from "./profiler.ts";
import { recordCallbacks } from "./record-callbacks.ts";
import type { Stage } from "./stage.ts";

/** Somebody who turns callbacks into published events. */
export interface Contestant {
  /** Its processes, the one to be warmed up first. */
  readonly pids: readonly number[];
  /** Makes all the work appear at once; resolves when it has, which is when the clock starts. */
  record(invoiceIds: string[]): Promise<void>;
  profile?: { start(): Promise<unknown>; stop(): Promise<HotSpot[]> };
  stop(): Promise<void>;
}

type Start = (stage: Stage, database: BenchDatabase) => Promise<Contestant>;

/** What every process is told of the others. */
export const environmentOf = (stage: Stage, database: BenchDatabase) => ({
  databaseUrl: database.url,
  providerUrl: stage.provider.url,
  snsUrl: stage.sns.url,
});

/** Starts a relay's workers, without HTTP. */
export const startWorkers: Start = async (stage, database) => {
  const relay = stage.child<RelayCalls>("relay");
  await relay.call("start", { ...environmentOf(stage, database), http: false, workers: true });
  return {
    pids: [relay.pid],
    record: (ids) => recordCallbacks(database, "relay", ids),
    profile: { start: () => relay.call("startProfile"), stop: () => relay.call("stopProfile") },
    stop: relay.end,
  };
};

const startGraphileWorker =
  (levers: boolean): Start =>
  async (stage, database) => {
    const child = stage.child<GraphileWorkerCalls>("graphile-worker");
    await child.call("start", { ...environmentOf(stage, database), levers });
    return {
      pids: [child.pid],
      record: (ids) => recordCallbacks(database, "graphileWorker", ids),
      stop: child.end,
    };
  };

const startPgBoss =
  (levers: boolean): Start =>
  async (stage, database) => {
    const child = stage.child<PgBossCalls>("pg-boss");
    await child.call("start", { ...environmentOf(stage, database), levers });
    return {
      pids: [child.pid],
      record: async (ids) => {
        await recordCallbacks(database, "pgBoss", ids);
        if (levers) await child.call("notify");
      },
      stop: child.end,
    };
  };

/** All who drain; a queue's plain name is with our levers. */
export const contestants = {
  graphileWorkerAsDocumented: startGraphileWorker(false),
  graphileWorker: startGraphileWorker(true),
  pgBossAsDocumented: startPgBoss(false),
  pgBoss: startPgBoss(true),
  relay: startWorkers,
} satisfies Record<string, Start>;

export type ContestantName = keyof typeof contestants;
