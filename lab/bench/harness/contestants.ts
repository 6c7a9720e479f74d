import type { GraphileWorkerCalls } from "../processes/graphile-worker.ts";
import type { NoDatabaseCalls } from "../processes/no-database.ts";
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

/** Starts some relays' workers, without HTTP; a profile is of the first. */
export const startRelays =
  (count: number): Start =>
  async (stage, database) => {
    const relays = Array.from({ length: count }, () => stage.child<RelayCalls>("relay"));
    const [first] = relays;
    for (const relay of relays)
      await relay.call("start", { ...environmentOf(stage, database), http: false, workers: true });
    return {
      pids: relays.map(({ pid }) => pid),
      record: (ids) => recordCallbacks(database, "relay", ids),
      profile: {
        start: async () => first?.call("startProfile"),
        stop: async () => (await first?.call("stopProfile")) ?? [],
      },
      stop: async () => void (await Promise.all(relays.map((relay) => relay.end()))),
    };
  };

export const startWorkers: Start = startRelays(1);

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

const startNoDatabase: Start = async (stage) => {
  const child = stage.child<NoDatabaseCalls>("no-database");
  await child.call("start", { providerUrl: stage.provider.url, snsUrl: stage.sns.url });
  let draining: Promise<void> = Promise.resolve();
  return {
    pids: [child.pid],
    record: async (ids) => {
      draining = child.call("drain", ids);
      draining.catch(() => undefined);
    },
    stop: async () => {
      await draining;
      await child.end();
    },
  };
};

/**
 * All who drain. The first is the limit that none of the others can reach; a queue's plain name is with our
 * levers.
 */
export const contestants = {
  noDatabase: startNoDatabase,
  graphileWorkerAsDocumented: startGraphileWorker(false),
  graphileWorker: startGraphileWorker(true),
  pgBossAsDocumented: startPgBoss(false),
  pgBoss: startPgBoss(true),
  relay: startWorkers,
} satisfies Record<string, Start>;

export type ContestantName = keyof typeof contestants;
