import { useState } from "preact/hooks";
import type { Activity } from "../api/types.ts";
import { zone } from "../kit/look.ts";
import { countText } from "../kit/text.ts";
import { clockText, dayText } from "../kit/time.ts";
import { Figures } from "../parts/fields.tsx";
import { type Counted, stepsOf, topOf, totalsOf } from "./series.ts";

const KINDS: readonly { name: Counted; says: string }[] = [
  { name: "received", says: "callbacks received" },
  { name: "confirmed", says: "payments confirmed" },
  { name: "published", says: "events published" },
];

interface ChartProps {
  steps: Activity["minutes"];
  stepMinutes: number;
  /** What all of them are: "the last hour". */
  period: string;
  onOpen: (from: Date, to: Date) => void;
}

/** What stands above is of the step pointed at, else of all. Arrow keys point; Enter or a click opens. */
export function MinuteChart({ steps: counted, stepMinutes, period, onOpen }: ChartProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const steps = stepsOf(counted, stepMinutes);
  const totals = totalsOf(counted);
  const step = pointed === null ? undefined : steps[pointed];
  const endOf = ({ at }: { at: string }) => new Date(Date.parse(at) + stepMinutes * 60_000);
  const onPoint = ({ clientX, currentTarget }: MouseEvent & { currentTarget: Element }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const at = Math.floor(((clientX - left) / width) * steps.length);
    setPointed(at in steps ? at : null);
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined || steps.length === 0) return;
    event.preventDefault();
    setPointed(Math.min(steps.length - 1, Math.max(0, (pointed ?? steps.length) + by)));
  };
  return (
    <>
      <Figures
        of={KINDS.map(({ name, says }) => {
          const value = step === undefined ? totals[name] : step[name];
          return [says, value === null ? "…" : countText(value), `of-${name}`];
        })}
      />
      <p class="quiet">
        {step === undefined ? `in ${period}` : stepText(new Date(step.at), endOf(step), zone.value)}
      </p>
      <div class="chart">
        <Bars {...{ steps, stepMinutes, pointed }} />
        <button
          type="button"
          aria-label={`In ${period}: ${KINDS.map(({ name, says }) => `${totals[name]} ${says}`).join(", ")}. Arrow keys go from step to step, Enter shows its payments.`}
          onClick={() => step && onOpen(new Date(step.at), endOf(step))}
          onKeyDown={onKey}
          onPointerMove={onPoint}
          onPointerLeave={() => setPointed(null)}
        />
      </div>
    </>
  );
}

/** `at 04:05`; of a longer step `22 Nov, 04:00 to 06:00`. */
function stepText(from: Date, to: Date, timeZone: string): string {
  const clock = (at: Date) => clockText(at, timeZone).slice(0, 5);
  if (+to - +from === 60_000) return `at ${clock(from)}`;
  return `${dayText(from, timeZone).slice(0, -5)}, ${clock(from)} to ${clock(to)}`;
}

interface BarsProps extends Pick<ChartProps, "steps" | "stepMinutes"> {
  pointed: number | null;
}

/** Received and published are bars, confirmed is a dot, which stands where something was. */
function Bars({ steps, stepMinutes, pointed }: BarsProps) {
  const top = topOf(steps);
  const y = (count: number) => `${100 - (count / top) * 100}%`;
  const x = (at: number) => `${(at / steps.length) * 100}%`;
  const bar = (name: Counted, at: number, count: number | null, wide: number) =>
    !!count && (
      <rect
        class={`of-${name}`}
        {...{ x: x(at + 0.5 - wide / 2), width: x(wide), y: y(count), height: y(top - count) }}
      />
    );
  return (
    <svg aria-hidden="true">
      {pointed !== null && <rect class="is-pointed" x={x(pointed)} width={x(1)} height="100%" />}
      {[0, top / 2, top].map((mark) => (
        <g key={mark}>
          <line x2="100%" y1={y(mark)} y2={y(mark)} />
          <text class="is-mark" x="-8" y={y(mark)}>
            {countText(mark)}
          </text>
        </g>
      ))}
      {steps.map(({ at, received, published, confirmed }, index) => (
        <g key={at}>
          {bar("received", index, received, 0.8)}
          {bar("published", index, published, 0.4)}
          {!!confirmed && <circle class="of-confirmed" cx={x(index + 0.5)} cy={y(confirmed)} r="2.5" />}
          <text x={x(index + 0.5)} y="112%">
            {markText(new Date(at), stepMinutes, zone.value)}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** What stands beneath a step: round times only, six or seven of a chart. */
function markText(at: Date, stepMinutes: number, timeZone: string): string {
  const clock = clockText(at, timeZone).slice(0, 5);
  if (stepMinutes === 1) return clock.endsWith("0") ? clock : "";
  if (stepMinutes > 60) return clock < "02:00" ? dayText(at, timeZone).slice(0, -5) : "";
  return clock.endsWith(":00") && Number.parseInt(clock, 10) % 4 === 0 ? clock : "";
}
