import { nowMs } from "../harness/clock.ts";
import { CONNECTIONS } from "../harness/measure-intake.ts";
import { startWarmRelay } from "../harness/measure-latency.ts";
import type { BenchOptions } from "../harness/options.ts";
import { type Report, rounded, type TableOf, tell } from "../harness/report.ts";
import { percentilesOf, spreadOf } from "../harness/spread.ts";
import type { Stage } from "../harness/stage.ts";
import { readTableHealth, type TableHealth } from "../harness/table-health.ts";

const LOAD = 0.8;
const SLICE_MS = 10_000;

interface Slice extends TableHealth {
  seconds: number;
  answeredPerSecond: number;
  publishedPerSecond: number;
  answerP99: number;
  heapMiB: number;
}

/** What counts as keeping up: so much is published by the time the last callback is answered. */
const KEEPS_UP = 0.97;

/** By how much the rate falls from try to try. */
const STEP = 0.9;

/**
 * What the whole path takes on this machine, by trying: the first rate, from one that is too high on, at which events are
 * published as fast as callbacks come. Intake and drain apart would not tell, since side by side they work in smaller
 * batches.
 */
async function capacity(stage: Stage, port: number, { ms }: BenchOptions): Promise<number> {
  for (let perSecond = await firstTry(stage, port, ms); perSecond >= 1; perSecond *= STEP) {
    await stage.sns.call("reset", { failFirst: 0 });
    const { sent, failed } = await stage.generator.call("pace", { port, perSecond, ms });
    if (failed > 0) throw new Error(`${failed} callbacks were not answered 2xx`);
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
  const { answered } = await stage.generator.call("flood", { port, connections: CONNECTIONS, ms });
  const endedAt = await stage.sns.call("whenAccepted", answered);
  return (answered * 1_000) / (endedAt - startedAt);
}

const quarter = (slices: readonly Slice[], number: number) =>
  slices.slice(Math.floor(((number - 1) * slices.length) / 4), Math.ceil((number * slices.length) / 4));

const most = (slices: readonly Slice[], of: (slice: Slice) => number) => Math.max(...slices.map(of));
const allDead = (slice: Slice) => Object.values(slice.dead).reduce((sum, dead) => sum + dead, 0);

/** Minutes at 80 % of what the whole path takes: what grows, and what stays. */
export async function soak(stage: Stage, options: BenchOptions): Promise<Report> {
  const database = await stage.createDatabase();
  const relay = await startWarmRelay(stage, database);
  const whole = await capacity(stage, relay.port, options);
  const perSecond = Math.floor(whole * LOAD);
  tell(`the whole path takes ${rounded(whole)}/s: soaking at ${perSecond}/s`);
  const slices: Slice[] = [];
  const total = Math.max(4, Math.round((options.minutes * 60_000) / SLICE_MS));
  for (let number = 1; number <= total; number += 1) {
    await stage.sns.call("reset", { failFirst: 0 });
    const { sent, failed, seconds } = await stage.generator.call("pace", {
      port: relay.port,
      perSecond,
      ms: SLICE_MS,
    });
    if (failed > 0) throw new Error(`${failed} callbacks were not answered 2xx`);
    const { events } = await stage.sns.call("counts");
    slices.push({
      seconds: (number * SLICE_MS) / 1_000,
      answeredPerSecond: sent.length / seconds,
      publishedPerSecond: events / seconds,
      answerP99: percentilesOf(sent.map((one) => one.answeredAt - one.sentAt)).p99,
      heapMiB: (await relay.call("heap")) / 1_048_576,
      ...(await readTableHealth(database)),
    });
    tell(`${number} of ${total}: ${rounded(slices.at(-1)?.publishedPerSecond ?? 0)}/s published`);
  }
  await relay.call("stop");
  await relay.end();
  return reportOf(slices, { whole, perSecond });
}

function reportOf(slices: Slice[], rates: { whole: number; perSecond: number }): Report {
  const [second, last] = [quarter(slices, 2), quarter(slices, 4)];
  const heap = (of: readonly Slice[]) => spreadOf(of.map((slice) => slice.heapMiB)).median;
  const figures = {
    ...rates,
    publishedOfOffered: rounded(spreadOf(slices.map((s) => s.publishedPerSecond / rates.perSecond)).median),
    heapLastToSecondQuarter: rounded(heap(last) / heap(second)),
    deadTuplesLastToSecondQuarter: rounded(most(last, allDead) / Math.max(1, most(second, allDead))),
    connectionsMost: most(slices, (slice) => slice.connections),
  };
  const tables = Object.keys(slices[0]?.sizes ?? {});
  const perTable = (title: string, of: (slice: Slice) => Record<string, number>): TableOf => ({
    title,
    header: ["s", ...tables],
    rows: slices.map((slice) => [slice.seconds, ...tables.map((name) => of(slice)[name] ?? 0)]),
  });
  return {
    tables: [
      {
        title: `Soak at ${rates.perSecond} callbacks/s, ${LOAD * 100} % of what the whole path takes`,
        header: [
          "s",
          "answered/s",
          "p99 ms",
          "published/s",
          "waiting",
          "heap MiB",
          "connections",
          "dead tuples",
        ],
        rows: slices.map((slice) => [
          slice.seconds,
          rounded(slice.answeredPerSecond),
          rounded(slice.answerP99),
          rounded(slice.publishedPerSecond),
          slice.openQuestions + slice.unpublished,
          rounded(slice.heapMiB),
          slice.connections,
          allDead(slice),
        ]),
      },
      perTable("Table sizes with indexes, MiB", (slice) => slice.sizes),
      perTable("Dead tuples", (slice) => slice.dead),
      {
        title: "In short",
        header: ["", ""],
        rows: Object.entries(figures).map(([name, value]) => [name, rounded(value)]),
      },
    ],
    figures: { ...figures, slices },
  };
}
