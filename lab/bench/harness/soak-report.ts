import { rounded, type TableOf } from "./report.ts";
import { percentilesOf, spreadOf } from "./spread.ts";
import type { TableHealth } from "./table-health.ts";

/** The part of what the whole path takes that is offered. */
export const LOAD = 0.8;

/** Ten seconds of the soak. */
export interface Slice extends TableHealth {
  seconds: number;
  answeredPerSecond: number;
  publishedPerSecond: number;
  answerP99: number;
  /** Callback sent to accepted by SNS, each. */
  acceptedMs: readonly number[];
  heapMiB: number;
}

export interface SoakRates {
  /** What the whole path takes; null when the rate was given. */
  whole: number | null;
  perSecond: number;
  /** Callbacks in all, and events that were out when the last one was answered. */
  offered: number;
  published: number;
}

const SLICES_A_MINUTE = 6;

const quarter = (slices: readonly Slice[], number: number) =>
  slices.slice(Math.floor(((number - 1) * slices.length) / 4), Math.ceil((number * slices.length) / 4));

const most = (slices: readonly Slice[], of: (slice: Slice) => number) => Math.max(...slices.map(of));
const mostDead = (slices: readonly Slice[]) => most(slices, ({ dead }) => dead);
const p99 = (slices: readonly Slice[]) => percentilesOf(slices.flatMap(({ acceptedMs }) => acceptedMs)).p99;

/** What the soak comes down to. */
export function soakFigures(slices: readonly Slice[], { whole, perSecond, offered, published }: SoakRates) {
  const [second, last] = [quarter(slices, 2), quarter(slices, 4)];
  const heap = (of: readonly Slice[]) => spreadOf(of.map((slice) => slice.heapMiB)).median;
  const [firstMinute, lastMinute] = [slices.slice(0, SLICES_A_MINUTE), slices.slice(-SLICES_A_MINUTE)];
  return {
    ...(whole === null ? {} : { whole: rounded(whole) }),
    perSecond,
    publishedOfOffered: rounded(published / offered),
    publishedOfOfferedLeastSlice: rounded(
      Math.min(...slices.map((s) => s.publishedPerSecond / s.answeredPerSecond)),
    ),
    acceptedP99LastMinute: rounded(p99(lastMinute)),
    acceptedP99LastToFirstMinute: rounded(p99(lastMinute) / p99(firstMinute)),
    heapLastToSecondQuarter: rounded(heap(last) / heap(second)),
    deadTuplesMost: mostDead(slices),
    deadTuplesLastToSecondQuarter: rounded(mostDead(last) / Math.max(1, mostDead(second))),
    connectionsMost: most(slices, (slice) => slice.connections),
  };
}

/** Slice by slice, and in short. */
export function soakTables(
  slices: readonly Slice[],
  figures: Record<string, number>,
  { whole, perSecond }: SoakRates,
): TableOf[] {
  const share = whole === null ? "" : `, ${LOAD * 100} % of what the whole path takes`;
  return [
    {
      title: `Soak at ${perSecond} callbacks/s${share}`,
      header: [
        ...["s", "answered/s", "p99 ms", "published/s", "accepted p50 ms", "p99 ms", "waiting"],
        ...["heap MiB", "connections", "dead tuples"],
      ],
      rows: slices.map((slice) => {
        const accepted = percentilesOf(slice.acceptedMs);
        return [
          slice.seconds,
          ...[slice.answeredPerSecond, slice.answerP99, slice.publishedPerSecond].map(rounded),
          ...[accepted.p50, accepted.p99].map(rounded),
          slice.openConfirmations + slice.unpublished,
          rounded(slice.heapMiB),
          ...[slice.connections, slice.dead],
        ];
      }),
    },
    {
      title: "In short",
      header: ["", ""],
      rows: Object.entries(figures).map(([name, value]) => [name, rounded(value)]),
    },
  ];
}
