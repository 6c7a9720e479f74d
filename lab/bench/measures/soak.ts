import { startBytesClock } from "../harness/bytes.ts";
import { nowMs } from "../harness/child.ts";
import { bytesTables, cpuTable, type Report, rounded } from "../harness/report.ts";
import { percentilesOf, spreadOf, tell } from "../harness/rounds.ts";
import type { Stage } from "../harness/stage.ts";
import type { BenchOptions } from "../main.ts";
import type { Sent } from "../processes/load-generator.ts";
import { RUSH } from "./intake.ts";
import { sentToAccepted, startWarmRelay } from "./latency.ts";

const SLICE_MS = 10_000;
const SLICES_A_MINUTE = 6;

/** The part of what the whole path takes that is offered. */
const LOAD = 0.8;

/** A rate that is kept up with: so much is published by the time the last callback is answered. */
const KEEPS_UP = 0.97;

/** By how much the rate falls from try to try. */
const STEP = 0.9;

/** Ten seconds of the soak. */
interface Slice {
  seconds: number;
  answeredPerSecond: number;
  publishedPerSecond: number;
  answerP99: number;
  heapMiB: number;
  /** Callback sent to accepted by SNS, each. */
  acceptedMs: readonly number[];
}

/**
 * The rate that the whole path takes on this machine, by trying: the first, from one that is too high on, at
 * which events are published as fast as callbacks come. Intake and drain apart would not tell, since side by
 * side they work in smaller batches.
 */
async function capacity({ sns, flood, pace }: Stage, port: number, ms: number): Promise<number> {
  await sns.call("reset");
  const startedAt = nowMs();
  const { answered } = await flood({ port, connections: RUSH, ms });
  const endedAt = await sns.call("whenAccepted", answered);
  for (let perSecond = (answered * 1_000) / (endedAt - startedAt); perSecond >= 1; perSecond *= STEP) {
    await sns.call("reset");
    const { sent } = await pace({ port, perSecond, ms });
    const share = (await sns.call("count")) / sent.length;
    tell(`${rounded(perSecond)}/s: ${rounded(100 * share)} % published as they came`);
    await sns.call("whenAccepted", sent.length);
    if (share >= KEEPS_UP) return perSecond;
  }
  throw new Error("Nothing is published");
}

/** Minutes at 80 % of what the whole path takes: what grows, and what stays. */
export async function soak(stage: Stage, options: BenchOptions): Promise<Report> {
  const database = await stage.createDatabase();
  const relay = await startWarmRelay(stage, database);
  const whole = options.perSecond ?? (await capacity(stage, relay.port, options.ms));
  const perSecond = options.perSecond ?? Math.floor(whole * LOAD);
  tell(`soaking at ${perSecond}/s`);

  await stage.sns.call("reset");
  const total = Math.max(4, Math.round((options.minutes * 60_000) / SLICE_MS));
  const slices: Slice[] = [];
  const sent: Sent[][] = [];
  const clock = stage.startCpuClock(relay.pid);
  const bytesSince = await startBytesClock(database, { walByRelation: false });
  let lastSliceSince = bytesSince;
  let published = 0;
  for (let number = 1; number <= total; number += 1) {
    if (number === total) lastSliceSince = await startBytesClock(database, { walByRelation: true });
    const paced = await stage.pace({ port: relay.port, perSecond, ms: SLICE_MS });
    const events = await stage.sns.call("count");
    slices.push({
      seconds: (number * SLICE_MS) / 1_000,
      answeredPerSecond: paced.sent.length / paced.seconds,
      publishedPerSecond: (events - published) / paced.seconds,
      answerP99: percentilesOf(paced.sent.map((one) => one.answeredAt - one.sentAt)).p99,
      heapMiB: (await relay.call("heap")) / 1_048_576,
      acceptedMs: [],
    });
    sent.push(paced.sent);
    published = events;
    tell(`${number} of ${total}: ${rounded(slices.at(-1)?.publishedPerSecond ?? 0)}/s published`);
  }
  const offered = sent.flat().length;
  const cpu = clock(offered);
  const bytes = {
    whole: await bytesSince(offered),
    lastSlice: await lastSliceSince(sent.at(-1)?.length ?? 1),
  };
  for (const [place, slice] of slices.entries())
    slice.acceptedMs = await sentToAccepted(stage, sent[place] ?? []);
  await relay.end();
  const figures = {
    whole: rounded(whole),
    perSecond,
    publishedOfOffered: published / offered,
    ...inShort(slices),
  };
  return {
    tables: [
      sliceTable(slices),
      {
        title: `In short, at ${perSecond} callbacks/s; the whole path takes ${rounded(whole)}/s`,
        header: ["", ""],
        rows: Object.entries(figures).map(([name, value]) => [name, rounded(value)]),
      },
      cpuTable({ relay: [{ cpu }] }),
      ...bytesTables({ "the whole soak": [bytes.whole], "its last slice": [bytes.lastSlice] }),
    ],
    figures: {
      slices: slices.map(({ acceptedMs, ...slice }) => ({ ...slice, accepted: percentilesOf(acceptedMs) })),
      rounds: { relay: [{ ...figures, cpu, bytes }] },
    },
  };
}

function inShort(slices: readonly Slice[]) {
  const quarter = (number: number) =>
    slices.slice(Math.floor(((number - 1) * slices.length) / 4), Math.ceil((number * slices.length) / 4));
  const heap = (some: readonly Slice[]) => spreadOf(some.map(({ heapMiB }) => heapMiB)).median;
  const p99 = (some: readonly Slice[]) => percentilesOf(some.flatMap(({ acceptedMs }) => acceptedMs)).p99;
  const lastMinute = p99(slices.slice(-SLICES_A_MINUTE));
  return {
    publishedOfOfferedLeastSlice: Math.min(...slices.map((s) => s.publishedPerSecond / s.answeredPerSecond)),
    acceptedP99LastMinute: lastMinute,
    acceptedP99LastToFirstMinute: lastMinute / p99(slices.slice(0, SLICES_A_MINUTE)),
    heapLastToSecondQuarter: heap(quarter(4)) / heap(quarter(2)),
  };
}

const sliceTable = (slices: readonly Slice[]) => ({
  title: "Soak, slice by slice",
  header: ["s", "answered/s", "p99 ms", "published/s", "accepted p50 ms", "p99 ms", "heap MiB"],
  rows: slices.map((slice) => {
    const { p50, p99 } = percentilesOf(slice.acceptedMs);
    const rates = [slice.answeredPerSecond, slice.answerP99, slice.publishedPerSecond];
    return [slice.seconds, ...[...rates, p50, p99, slice.heapMiB].map(rounded)];
  }),
});
