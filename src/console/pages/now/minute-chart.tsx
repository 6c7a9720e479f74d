import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { connection } from "../api/live.ts";
import type { Activity } from "../api/types.ts";
import { shownTheme, zone } from "../kit/look.ts";
import { countText } from "../kit/text.ts";
import { clockText, dayText } from "../kit/time.ts";
import { type Counted, columnsOf, dotsOf, totalsOf } from "./series.ts";

const HEIGHT = 232;

const KINDS: readonly { name: Counted; says: string; column: 1 | 2 | 3 }[] = [
  { name: "received", says: "callbacks received", column: 1 },
  { name: "confirmed", says: "payments confirmed", column: 3 },
  { name: "published", says: "events published", column: 2 },
];

interface ChartProps {
  /** In the order of time. */
  steps: Activity["minutes"];
  stepMinutes: number;
  /** What all of them are: "the last hour". */
  period: string;
  /** Called with the step that is pressed: when it begins and ends. */
  onOpen: (from: Date, to: Date) => void;
}

/**
 * What happened, step by step. What is said above it stands for the step that is pointed at, else for all.
 * Arrow keys point, and Enter or a click opens.
 */
export function MinuteChart({ steps, stepMinutes, period, onOpen }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const [Plot, setPlot] = useState<typeof uPlot | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const columns = useMemo(() => columnsOf(steps, stepMinutes), [steps, stepMinutes]);
  const totals = totalsOf(steps);
  const { value: timeZone } = zone;
  const { value: look } = shownTheme;

  const isLost = connection.value === "lost";
  useEffect(() => {
    if (Plot !== null || isLost) return;
    loadPlot().then(
      (Loaded) => setPlot(() => Loaded),
      () => undefined,
    );
  }, [isLost]);
  useEffect(() => {
    const target = place.current;
    if (target === null || Plot === null) return;
    const options = optionsOf(Plot, {
      width: target.clientWidth,
      timeZone,
      stepMinutes,
      onPoint: setPointed,
    });
    const plot = new Plot(options, columnsOf([], stepMinutes), target);
    chart.current = plot;
    const sized = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height: HEIGHT }));
    sized.observe(target);
    return () => {
      sized.disconnect();
      plot.destroy();
      chart.current = null;
    };
  }, [Plot, timeZone, look, stepMinutes]);
  useEffect(() => chart.current?.setData(columns), [Plot, columns, timeZone, look]);

  const at = pointed === null ? undefined : columns[0][pointed];
  const when = at === undefined ? `in ${period}` : stepText(new Date(at * 1_000), stepMinutes, timeZone);
  const open = () => {
    if (at === undefined) return;
    const from = new Date(at * 1_000);
    onOpen(from, new Date(+from + stepMinutes * 60_000));
  };
  const onKey = (event: KeyboardEvent) => {
    const last = columns[0].length - 1;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by !== undefined && last >= 0) {
      event.preventDefault();
      setPointed(Math.min(last, Math.max(0, (pointed ?? last + 1) + by)));
    } else if (event.key === "Enter") open();
  };
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
      <button
        type="button"
        class="minutes-open"
        aria-label={`In ${period}: ${KINDS.map(({ name, says }) => `${totals[name]} ${says}`).join(", ")}. Arrow keys go from step to step, Enter shows its payments.`}
        onClick={open}
        onKeyDown={onKey}
      >
        <div ref={place} class="minutes-plot" />
      </button>
    </div>
  );
}

/** `at 04:05`; of a longer step `22 Nov, 04:00 to 06:00`. */
function stepText(from: Date, stepMinutes: number, timeZone: string): string {
  const clock = (at: Date) => clockText(at, timeZone).slice(0, 5);
  if (stepMinutes === 1) return `at ${clock(from)}`;
  const day = dayText(from, timeZone).slice(0, -5);
  return `${day}, ${clock(from)} to ${clock(new Date(+from + stepMinutes * 60_000))}`;
}

interface Look {
  width: number;
  timeZone: string;
  stepMinutes: number;
  onPoint: (index: number | null) => void;
}

function optionsOf(Plot: typeof uPlot, { width, timeZone, stepMinutes, onPoint }: Look): uPlot.Options {
  const halfStep = stepMinutes * 30;
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
      // A bar stands over the middle of its step: the first and the last one whole.
      x: { range: (_plot, first, last) => [first - halfStep, last + halfStep] },
      y: { range: (_plot, _least, most) => [0, Math.max(4, most * 1.08)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ticks: { show: false },
        space: 70,
        values: stepMinutes < 60 ? "{HH}:{mm}" : "{D} {MMM}",
        gap: 4,
      },
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
