import { signal } from "@preact/signals";

/** The viewer's own zone, in which times are shown. */
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Each second during a session. */
export const now = signal(Date.now());

/** `22 Nov 2026` */
const dayText = (at: Date, timeZone = zone): string =>
  new Intl.DateTimeFormat("en-GB", { timeZone, day: "numeric", month: "short", year: "numeric" }).format(at);

/** `04:05:06`; with `.123` where milliseconds are asked for. */
const clockText = (at: Date, timeZone = zone, { ms = false } = {}): string =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    ...(ms && { fractionalSecondDigits: 3 }),
  }).format(at);

/** The clock alone for a time of today, else with its day, and its year where that is another. */
export function shortTime(at: Date): string {
  const day = dayText(at);
  const today = dayText(new Date());
  if (day === today) return clockText(at);
  return `${day.slice(-4) === today.slice(-4) ? day.slice(0, -5) : day}, ${clockText(at)}`;
}

/** `22 Nov 2026, 04:05:06.123 UTC`: whole, for readers who need it exactly. */
export function fullTime(at: Date, timeZone = zone): string {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone, timeZoneName: "short" }).formatToParts(at);
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
  return `${dayText(at, timeZone)}, ${clockText(at, timeZone, { ms: true })} ${name}`;
}

/** As an input of type datetime-local has it. */
export const timeInInput = (at: Date): string =>
  new Date(+at - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** @param text `2026-11-22T04:05`, or "". @returns undefined unless it is a time. */
export function timeGiven(text: string): string | undefined {
  const at = new Date(text);
  return Number.isNaN(+at) ? undefined : at.toISOString();
}
