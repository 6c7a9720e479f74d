import { type BytesPerPayment, startBytesClock } from "../harness/bytes-per-payment.ts";
import { bytesByRelationTable, bytesTable } from "../harness/bytes-tables.ts";
import { nowMs } from "../harness/clock.ts";
import type { CpuCosts } from "../harness/cpu-time.ts";
import { RUSH } from "../harness/measure-intake.ts";
import { acceptancesOf, startWarmRelay } from "../harness/measure-latency.ts";
import type { BenchOptions } from "../harness/options.ts";
import { type Report, rounded, tell } from "../harness/report.ts";
import { LOAD, type Slice, soakFigures, soakTables } from "../harness/soak-report.ts";
import { percentilesOf } from "../harness/spread.ts";
import type { Stage } from "../harness/stage.ts";
import { readTableHealth } from "../harness/table-health.ts";
import { cpuTable } from "../harness/tables.ts";
import type { Sent } from "../processes/load-generator.ts";

const SLICE_MS = 10_000;

/** What counts as keeping up: so much is published by the time the last callback is answered. */
const KEEPS_UP = 0.97;

/** By how much the rate falls from try to try. */
const STEP = 0.9;

/**
 * What the whole path takes on this machine, by trying: the first rate, from one that is too high on, at
 * which events are published as fast as callbacks come. Intake and drain apart would not tell, since side by
 * side they work in smaller batches.
 */
async function capacity(stage: Stage, port: number, { ms }: BenchOptions): Promise<number> {
  for (let perSecond = await firstTry(stage, port, ms); perSecond >= 1; perSecond *= STEP) {
    await stage.sns.call("reset", { failFirst: 0 });
    const { sent } = await stage.pace({ port, perSecond, ms });
    const { events } = await stage.sns.call("counts");
    tell(`${rounded(perSecond)}/s: ${rounded((100 * events) / sent.length)} % published as they came`);
    await stage.sns.call("whenAccepted", sent.length);
    if (events >= sent.length * KEEPS_UP) return perSecond;
  }
  throw new Error("Nothing is published");
}

/** Callbacks as fast as they are taken, and how long it takes until all their events are out. */
async function firstTry(stage: Stage, port: number, ms: number): Promise<number> {
  await stage.sns.call("reset", { failFirst: 0 });
  const startedAt = nowMs();
  const { answered } = await stage.flood({ port, connections: RUSH, ms });
  const endedAt = await stage.sns.call("whenAccepted", answered);
  return (answered * 1_000) / (endedAt - startedAt);
}

interface Soaked {
  slices: Slice[];
  cpu: CpuCosts;
  /** Of the whole soak, and of its last slice, by table and index. */
  bytes: { whole: BytesPerPayment; lastSlice: BytesPerPayment };
}

/** Minutes at 80 % of what the whole path takes: what grows, and what stays. */
export async function soak(stage: Stage, options: BenchOptions): Promise<Report> {
  const database = await stage.createDatabase();
  const relay = await startWarmRelay(stage, database);
  const whole = options.perSecond === null ? await capacity(stage, relay.port, options) : null;
  const perSecond = options.perSecond ?? Math.floor((whole ?? 0) * LOAD);
  tell(
    whole === null
      ? `soaking at ${perSecond}/s`
      : `the whole path takes ${rounded(whole)}/s: soaking at ${perSecond}/s`,
  );

  await stage.sns.call("reset", { failFirst: 0 });
  const total = Math.max(4, Math.round((options.minutes * 60_000) / SLICE_MS));
  const slices: Omit<Slice, "acceptedMs">[] = [];
  const sent: Sent[][] = [];
  const clock = stage.startCpuClock(relay.pid);
  const bytesSince = await startBytesClock(database, { walByRelation: false });
  let lastSliceSince = bytesSince;
  let published = 0;
  for (let number = 1; number <= total; number += 1) {
    if (number === total) lastSliceSince = await startBytesClock(database, { walByRelation: true });
    const paced = await stage.pace({ port: relay.port, perSecond, ms: SLICE_MS });
    const { events } = await stage.sns.call("counts");
    slices.push({
      seconds: (number * SLICE_MS) / 1_000,
      answeredPerSecond: paced.sent.length / paced.seconds,
      publishedPerSecond: (events - published) / paced.seconds,
      answerP99: percentilesOf(paced.sent.map((one) => one.answeredAt - one.sentAt)).p99,
      heapMiB: (await relay.call("heap")) / 1_048_576,
      ...(await readTableHealth(database)),
    });
    sent.push(paced.sent);
    published = events;
    tell(`${number} of ${total}: ${rounded(slices.at(-1)?.publishedPerSecond ?? 0)}/s published`);
  }
  const offered = sent.reduce((sum, all) => sum + all.length, 0);
  const cpu = clock(offered);
  const bytes = {
    whole: await bytesSince(offered),
    lastSlice: await lastSliceSince(sent.at(-1)?.length ?? 1),
  };
  const soaked: Soaked = { slices: [], cpu, bytes };
  for (const [place, slice] of slices.entries()) {
    const accepted = await acceptancesOf(stage, sent[place] ?? []);
    soaked.slices.push({ ...slice, acceptedMs: accepted.map((one) => one.acceptedAt - one.sentAt) });
  }
  await relay.end();
  return reportOf(soaked, { whole, perSecond, offered, published });
}

function reportOf(
  { slices, cpu, bytes }: Soaked,
  rates: { whole: number | null; perSecond: number; offered: number; published: number },
): Report {
  const figures = soakFigures(slices, rates);
  return {
    tables: [
      ...soakTables(slices, figures, rates),
      cpuTable({ relay: [{ cpu }] }),
      bytesTable({ "the whole soak": [bytes.whole], "its last slice": [bytes.lastSlice] }),
      bytesByRelationTable("Whose bytes they are, in the last slice", [bytes.lastSlice]),
    ],
    figures: {
      slices: slices.map(({ acceptedMs, ...slice }) => ({ ...slice, accepted: percentilesOf(acceptedMs) })),
      rounds: { relay: [{ ...figures, cpu, bytes }] },
    },
  };
}
