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
  readonly pid: number;
  /** Makes all the work appear at once; resolves when it has, which is when the clock starts. */
  record(invoiceIds: string[]): Promise<void>;
  profile?: { start(): Promise<unknown>; stop(): Promise<HotSpot[]> };
  stop(): Promise<void>;
}

type Start = (stage: Stage, database: BenchDatabase) => Promise<Contestant>;

const surroundings = (stage: Stage, database: BenchDatabase) => ({
  databaseUrl: database.url,
  providerUrl: stage.provider.url,
  snsUrl: stage.sns.url,
});

export const startRelay: Start = async (stage, database) => {
  const child = stage.child<RelayCalls>("relay");
  await child.call("start", { ...surroundings(stage, database), http: false, workers: true });
  return {
    pid: child.pid,
    record: (ids) => recordCallbacks(database, "relay", ids),
    profile: { start: () => child.call("startProfile"), stop: () => child.call("stopProfile") },
    stop: async () => {
      await child.call("stop");
      await child.end();
    },
  };
};

const startGraphileWorker: Start = async (stage, database) => {
  const child = stage.child<GraphileWorkerCalls>("graphile-worker");
  await child.call("start", surroundings(stage, database));
  return {
    pid: child.pid,
    record: (ids) => recordCallbacks(database, "graphileWorker", ids),
    stop: async () => {
      await child.call("stop");
      await child.end();
    },
  };
};

const startPgBoss: Start = async (stage, database) => {
  const child = stage.child<PgBossCalls>("pg-boss");
  await child.call("start", surroundings(stage, database));
  return {
    pid: child.pid,
    record: async (ids) => {
      await recordCallbacks(database, "pgBoss", ids);
      await child.call("notify");
    },
    stop: async () => {
      await child.call("stop");
      await child.end();
    },
  };
};

const startNoDatabase: Start = async (stage) => {
  const child = stage.child<NoDatabaseCalls>("no-database");
  await child.call("start", { providerUrl: stage.provider.url, snsUrl: stage.sns.url });
  let draining: Promise<void> = Promise.resolve();
  return {
    pid: child.pid,
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

/** All who drain; the first is the limit that none of the others can reach. */
export const contestants = {
  noDatabase: startNoDatabase,
  graphileWorker: startGraphileWorker,
  pgBoss: startPgBoss,
  relay: startRelay,
} satisfies Record<string, Start>;

export type ContestantName = keyof typeof contestants;
