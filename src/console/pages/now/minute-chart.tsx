import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import type { Activity } from "../api/types.ts";
import { shownTheme, zone } from "../kit/look.ts";
import { countText } from "../kit/text.ts";
import { clockText } from "../kit/time.ts";
import { type Counted, columnsOf, dotsOf, totalsOf } from "./series.ts";

const HEIGHT = 232;
/** In s. */
const HALF_MINUTE = 30;

const KINDS: readonly { name: Counted; says: string; column: 1 | 2 | 3 }[] = [
  { name: "received", says: "callbacks received", column: 1 },
  { name: "confirmed", says: "payments confirmed", column: 3 },
  { name: "published", says: "events published", column: 2 },
];

/** The last hour, minute by minute. What is said above it stands for the minute that is pointed at, else for all. */
export function MinuteChart({ minutes }: { minutes: Activity["minutes"] }) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const [Plot, setPlot] = useState<typeof uPlot | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const columns = useMemo(() => columnsOf(minutes), [minutes]);
  const totals = totalsOf(minutes);
  const { value: timeZone } = zone;
  const { value: look } = shownTheme;

  useEffect(() => {
    loadPlot().then(
      (Loaded) => setPlot(() => Loaded),
      () => undefined,
    );
  }, []);
  useEffect(() => {
    const target = place.current;
    if (target === null || Plot === null) return;
    const plot = new Plot(optionsOf(Plot, target.clientWidth, timeZone, setPointed), columnsOf([]), target);
    chart.current = plot;
    const sized = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height: HEIGHT }));
    sized.observe(target);
    return () => {
      sized.disconnect();
      plot.destroy();
      chart.current = null;
    };
  }, [Plot, timeZone, look]);
  useEffect(() => chart.current?.setData(columns), [Plot, columns, timeZone, look]);

  const at = pointed === null ? undefined : columns[0][pointed];
  const when =
    at === undefined ? "in the last hour" : `at ${clockText(new Date(at * 1_000), timeZone).slice(0, 5)}`;
  const shownOf = (name: Counted, column: 1 | 2 | 3) =>
    pointed === null ? totals[name] : (columns[column][pointed] ?? null);
  return (
    <div class="minutes">
      <div class="row minutes-legend">
        <dl>
          {KINDS.map(({ name, says, column }) => {
            const value = shownOf(name, column);
            return (
              <div key={name} class={`minutes-${name}`}>
                <dt>{says}</dt>
                <dd>{value === null ? "…" : countText(value)}</dd>
              </div>
            );
          })}
        </dl>
        <p class="minutes-when">{when}</p>
      </div>
      <div
        ref={place}
        class="minutes-plot"
        role="img"
        aria-label={`Each minute of the last hour: ${KINDS.map(({ name, says }) => `${totals[name]} ${says}`).join(", ")}.`}
      />
    </div>
  );
}

function optionsOf(
  Plot: typeof uPlot,
  width: number,
  timeZone: string,
  onPoint: (index: number | null) => void,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const bars = (share: number, most: number) => ({
    ...(Plot.paths.bars && { paths: Plot.paths.bars({ size: [share, most], radius: 0.2 }) }),
    width: 0,
    points: { show: false },
  });
  const axis = { stroke: colour("--ink-3"), font: `12px ${style.getPropertyValue("--sans")}` };
  return {
    width,
    height: HEIGHT,
    padding: [12, 16, 0, 0],
    tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1_000), timeZone),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    scales: {
      // A bar stands over the middle of its minute: the first and the last one whole.
      x: { range: (_plot, first, last) => [first - HALF_MINUTE, last + HALF_MINUTE] },
      y: { range: (_plot, _least, most) => [0, Math.max(4, most * 1.08)] },
    },
    axes: [
      { ...axis, grid: { show: false }, ticks: { show: false }, space: 70, values: "{HH}:{mm}", gap: 4 },
      {
        ...axis,
        grid: { stroke: colour("--line"), width: 1 },
        ticks: { show: false },
        size: 44,
        space: 44,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000],
        values: (_plot, marks) => marks.map(countText),
      },
    ],
    series: [
      {},
      { ...bars(0.82, 28), fill: colour("--chart-received") },
      { ...bars(0.42, 14), fill: colour("--good") },
      {
        paths: () => null,
        points: {
          show: true,
          filter: (plot, series) => dotsOf([...(plot.data[series] ?? [])]),
          size: 5,
          width: 0,
          fill: colour("--move"),
          stroke: colour("--move"),
        },
      },
    ],
  };
}

/**
 * The chart library, loaded apart: the page is there before it, and without it should it not start here.
 * As it is loaded it asks for numbers in the browser's language, and breaks where that is none of Intl's: a
 * browser of a system without a locale says `en-US@posix`.
 */
async function loadPlot(): Promise<typeof uPlot> {
  if (!isLanguage(navigator.language))
    Object.defineProperty(navigator, "language", { value: "en", configurable: true });
  return (await import("uplot")).default;
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
