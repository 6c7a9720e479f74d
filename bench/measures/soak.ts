import { startRelay } from "../harness/drain-contestants.ts";
import { measureDrain } from "../harness/measure-drain.ts";
import { measureFlood, startReceiver } from "../harness/measure-intake.ts";
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

/**
 * What the whole path can take on this machine: taking callbacks in and draining them share its processors, so
 * the time for one of them is the sum of both.
 */
async function capacity(
  stage: Stage,
  { ms, callbacks }: BenchOptions,
): Promise<{ drain: number; whole: number }> {
  const database = await stage.createDatabase();
  const receiver = await startReceiver(stage, database);
  const { perSecond: intake } = await measureFlood(stage, receiver, ms);
  await receiver.call("stop");
  await receiver.end();
  await database.drop();
  const empty = await stage.createDatabase();
  const contestant = await startRelay(stage, empty);
  const { perSecond: drain } = await measureDrain({
    stage,
    contestant,
    database: empty,
    callbacks,
  });
  await contestant.stop();
  await empty.drop();
  return { drain, whole: 1 / (1 / drain + 1 / intake) };
}

const quarter = (slices: readonly Slice[], number: number) =>
  slices.slice(Math.floor(((number - 1) * slices.length) / 4), Math.ceil((number * slices.length) / 4));

const most = (slices: readonly Slice[], of: (slice: Slice) => number) => Math.max(...slices.map(of));
const allDead = (slice: Slice) => Object.values(slice.dead).reduce((sum, dead) => sum + dead, 0);

/** Minutes at 80 % of what the whole path takes: what grows, and what stays. */
export async function soak(stage: Stage, options: BenchOptions): Promise<Report> {
  const { drain, whole } = await capacity(stage, options);
  const perSecond = Math.floor(whole * LOAD);
  tell(`drain ${rounded(drain)}/s, whole path ${rounded(whole)}/s: soaking at ${perSecond}/s`);
  const database = await stage.createDatabase();
  const relay = await startWarmRelay(stage, database);
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
  return reportOf(slices, { drain, whole, perSecond });
}

function reportOf(slices: Slice[], rates: { drain: number; whole: number; perSecond: number }): Report {
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
