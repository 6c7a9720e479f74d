import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { invoicePaidId } from "../../../src/events/invoice-paid.ts";
import type { BenchDatabase } from "./bench-database.ts";
import { type BytesPerPayment, startBytesClock } from "./bytes-per-payment.ts";
import { nowMs } from "./clock.ts";
import type { Contestant } from "./contestants.ts";
import type { CpuCosts } from "./cpu-time.ts";
import type { HotSpot } from "./profiler.ts";
import type { Stage } from "./stage.ts";
import { warmUp } from "./warm-up.ts";

export interface Drain {
  perSecond: number;
  cpu: CpuCosts;
  bytes: BytesPerPayment;
  profile?: HotSpot[];
}

export interface DrainOptions {
  stage: Stage;
  contestant: Contestant;
  /** Where the outcome is looked up. */
  database: BenchDatabase;
  callbacks: number;
  profile?: boolean;
}

/** How many callbacks warm up at a time. */
const WARM_UP = 1_000;

const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

/**
 * Recorded callbacks to published events: from the commit that records them to the last one accepted by SNS.
 */
export async function measureDrain(options: DrainOptions): Promise<Drain> {
  const { stage, contestant, database, callbacks } = options;
  await stage.settleDisk();
  await warmUp(contestant.pids, async () => {
    const work = ids(WARM_UP);
    await stage.sns.call("reset", { failFirst: 0 });
    await contestant.record(work);
    await stage.sns.call("whenAccepted", WARM_UP);
    await whenPublished(database, work);
  });

  await stage.sns.call("reset", { failFirst: 0 });
  if (options.profile) await contestant.profile?.start();
  const accepted = stage.sns.call("whenAccepted", callbacks);
  const work = ids(callbacks);
  const bytesSince = await startBytesClock(database, { walByRelation: true });
  const clock = stage.startCpuClock(...contestant.pids);
  await contestant.record(work);
  const startedAt = nowMs();
  const endedAt = await accepted;
  await whenPublished(database, work);
  const cpu = clock(callbacks);
  const hot = options.profile ? await contestant.profile?.stop() : undefined;
  const bytes = await bytesSince(callbacks);
  return {
    perSecond: (callbacks * 1_000) / (endedAt - startedAt),
    cpu,
    bytes,
    ...(hot === undefined ? {} : { profile: hot }),
  };
}

const TIMEOUT_MS = 60_000;

const PUBLISHED = `
  select count(*)::int as count from publication where source = 'default' and event_id = any ($1::uuid[])`;

/** Resolves when the acceptances are written down; SNS heard of the last ones a moment before. */
async function whenPublished(database: BenchDatabase, invoiceIds: readonly string[]): Promise<void> {
  const eventIds = invoiceIds.map(invoicePaidId);
  for (const until = nowMs() + TIMEOUT_MS; ; await delay(20)) {
    const [row] = await database.query<{ count: number }>(PUBLISHED, [eventIds]);
    const count = row?.count ?? 0;
    if (count >= eventIds.length) return;
    if (nowMs() > until) throw new Error(`Only ${count} of ${eventIds.length} publications were written`);
  }
}
