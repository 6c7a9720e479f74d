import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { BenchDatabase } from "./bench-database.ts";
import { nowMs } from "./clock.ts";
import type { CpuCosts } from "./cpu-time.ts";
import type { Contestant } from "./drain-contestants.ts";
import type { HotSpot } from "./profiler.ts";
import type { Stage } from "./stage.ts";
import { warmUp } from "./warm-up.ts";

export interface Drain {
  perSecond: number;
  cpu: CpuCosts;
  profile?: HotSpot[];
}

export interface DrainOptions {
  stage: Stage;
  contestant: Contestant;
  /** Where the outcome is looked up; null when the contestant keeps none. */
  database: BenchDatabase | null;
  callbacks: number;
  profile?: boolean;
}

/** How many callbacks warm up at a time. */
const WARM_UP = 1_000;

const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

/** Recorded callbacks to published events: from the commit that records them to the last one accepted by SNS. */
export async function measureDrain(options: DrainOptions): Promise<Drain> {
  const { stage, contestant, database, callbacks } = options;
  await stage.settleDisk();
  await warmUp(contestant.pid, async () => {
    await stage.sns.call("reset", { failFirst: 0 });
    await contestant.record(ids(WARM_UP));
    await stage.sns.call("whenAccepted", WARM_UP);
  });
  const before = database === null ? 0 : await whenQuiet(database);

  await stage.sns.call("reset", { failFirst: 0 });
  if (options.profile) await contestant.profile?.start();
  const accepted = stage.sns.call("whenAccepted", callbacks);
  const work = ids(callbacks);
  const clock = stage.startCpuClock(contestant.pid);
  await contestant.record(work);
  const startedAt = nowMs();
  const endedAt = await accepted;
  if (database !== null) await whenPublished(database, before + callbacks);
  const cpu = clock(callbacks);
  const hot = options.profile ? await contestant.profile?.stop() : undefined;
  return {
    perSecond: (callbacks * 1_000) / (endedAt - startedAt),
    cpu,
    ...(hot === undefined ? {} : { profile: hot }),
  };
}

const PATIENCE_MS = 60_000;

async function published(database: BenchDatabase): Promise<number> {
  const [row] = await database.query<{ count: number }>("select count(*)::int as count from publication");
  return row?.count ?? 0;
}

/** Resolves when the outcomes are written down; SNS heard of the last ones a moment before. */
async function whenPublished(database: BenchDatabase, count: number): Promise<void> {
  for (const until = nowMs() + PATIENCE_MS; (await published(database)) < count; await delay(20))
    if (nowMs() > until)
      throw new Error(`Only ${await published(database)} of ${count} publications were written`);
}

async function whenQuiet(database: BenchDatabase): Promise<number> {
  for (const until = nowMs() + PATIENCE_MS; ; await delay(20)) {
    const [row] = await database.query<{ open: number }>(
      "select count(*)::int as open from event where state <> 'published'",
    );
    if (row?.open === 0) return published(database);
    if (nowMs() > until) throw new Error("The warm-up did not end");
  }
}
