import { spanText } from "../../../kit/time.ts";
import { clockText, fullTime, shortTime } from "../kit/time-text.ts";
import { zone } from "../kit/zone.ts";
import { None } from "./money.tsx";

interface TimeProps {
  /** ISO 8601; a dash where there is none. */
  at: string | null;
  /** short: the clock, and the day where it is another; clock: with milliseconds; full: everything. */
  as?: "short" | "clock" | "full";
}

/** A time in the zone that was chosen; pointing at it tells it whole in UTC, and `u` turns all of them. */
export function Time({ at, as = "short" }: TimeProps) {
  if (at === null) return <None />;
  const date = new Date(at);
  if (Number.isNaN(+date)) return <span>{at}</span>;
  const text =
    as === "clock"
      ? clockText(date, zone.value, { ms: true })
      : as === "full"
        ? fullTime(date, zone.value)
        : shortTime(date, zone.value, new Date());
  const other = zone.value === "UTC" ? Intl.DateTimeFormat().resolvedOptions().timeZone : "UTC";
  return (
    <time class="time" dateTime={at} title={fullTime(date, other)}>
      {text}
    </time>
  );
}

/** How long ago, as of when it was drawn. */
export function Ago({ at }: { at: string }) {
  const ms = Date.now() - Date.parse(at);
  return (
    <time class="time" dateTime={at} title={fullTime(new Date(at), "UTC")}>
      {ms < 1_000 ? "just now" : `${spanText(ms)} ago`}
    </time>
  );
}
