import { useState } from "preact/hooks";
import type { Activity } from "../api/client.ts";
import { countText } from "../kit/text.ts";
import { clockText, zone } from "../kit/time.ts";
import { Figures } from "../parts/fields.tsx";

type Counted = "received" | "confirmed" | "published";

const KINDS: readonly { name: Counted; says: string }[] = [
  { name: "received", says: "callbacks received" },
  { name: "confirmed", says: "payments confirmed" },
  { name: "published", says: "events published" },
];

interface ChartProps {
  minutes: Activity["minutes"];
  onOpen: (from: Date, to: Date) => void;
}

/** The figures above count the minute pointed at, else all minutes. Arrow keys point; Enter or a click opens. */
export function MinuteChart({ minutes, onOpen }: ChartProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const sum = (what: Counted) => minutes.reduce((total, one) => total + one[what], 0);
  const minute = pointed === null ? undefined : minutes[pointed];
  const onPoint = ({ clientX, currentTarget }: MouseEvent & { currentTarget: Element }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const at = Math.floor(((clientX - left) / width) * minutes.length);
    setPointed(at in minutes ? at : null);
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    setPointed(Math.min(minutes.length - 1, Math.max(0, (pointed ?? minutes.length) + by)));
  };
  return (
    <>
      <Figures
        of={KINDS.map(({ name, says }) => [says, countText(minute?.[name] ?? sum(name)), `of-${name}`])}
      />
      <p class="quiet">{minute === undefined ? "in the last hour" : `at ${hourText(minute.at)}`}</p>
      <div class="chart">
        <Bars minutes={minutes} pointed={pointed} />
        <button
          type="button"
          aria-label={`In the last hour: ${KINDS.map(({ name, says }) => `${sum(name)} ${says}`).join(", ")}. Arrow keys go from minute to minute, Enter shows its payments.`}
          onClick={() => minute && onOpen(new Date(minute.at), new Date(Date.parse(minute.at) + 60_000))}
          onKeyDown={onKey}
          onPointerMove={onPoint}
          onPointerLeave={() => setPointed(null)}
        />
      </div>
    </>
  );
}

/** `04:05` */
const hourText = (at: string): string => clockText(new Date(at), zone.value).slice(0, 5);

/** The number at the top of the chart: above every bar, and half of it a whole number. */
function topOf(minutes: Activity["minutes"]): number {
  const most = Math.max(4, ...minutes.map(({ received, published }) => Math.max(received, published)));
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 6, 8, 10].map((times) => times * power).find((top) => top >= most && top > 1) ?? most;
}

/** Received and published are bars, confirmed is a dot, shown where there was one. */
function Bars({ minutes, pointed }: Pick<ChartProps, "minutes"> & { pointed: number | null }) {
  const top = topOf(minutes);
  const y = (count: number) => `${100 - (count / top) * 100}%`;
  const x = (at: number) => `${(at / minutes.length) * 100}%`;
  const bar = (name: Counted, at: number, count: number, wide: number) =>
    count > 0 && (
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
      {minutes.map(({ at, received, published, confirmed }, index) => (
        <g key={at}>
          {bar("received", index, received, 0.8)}
          {bar("published", index, published, 0.4)}
          {confirmed > 0 && <circle class="of-confirmed" cx={x(index + 0.5)} cy={y(confirmed)} r="2.5" />}
          {hourText(at).endsWith("0") && (
            <text x={x(index + 0.5)} y="112%">
              {hourText(at)}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}
