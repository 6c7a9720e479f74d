import { computed, signal } from "@preact/signals";

/** A choice that the browser keeps; where it keeps nothing, as a private window, until the page is closed. */
export function keptChoice<Choice extends string>(name: string, choices: readonly [Choice, ...Choice[]]) {
  const key = `invoice-relay.${name}`;
  const chosen = signal(choices[0]);
  try {
    chosen.value = choices.find((one) => one === localStorage.getItem(key)) ?? choices[0];
  } catch {}
  const next = () => {
    chosen.value = choices[(choices.indexOf(chosen.value) + 1) % choices.length] ?? choices[0];
    try {
      localStorage.setItem(key, chosen.value);
    } catch {}
  };
  return { chosen, next };
}

const zones = keptChoice("zone", ["own", "utc"]);
export const switchZone = zones.next;

/** Whether times are shown in UTC; else in the viewer's own zone. */
export const inUtc = computed(() => zones.chosen.value === "utc");
/** The IANA name of the zone that times are shown in. */
export const zone = computed(() => (inUtc.value ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone));

/** By how much the relay's clock is ahead of this browser's, in ms: a laptop's may be a day off. */
let aheadMs = 0;

/** By the relay's clock, each second during a session. */
export const now = signal(Date.now());

export const tick = (): void => {
  now.value = Date.now() + aheadMs;
};

/** @param at what the relay's clock said just now. */
export function setClock(at: string): void {
  aheadMs = Date.parse(at) - Date.now();
  tick();
}

/** How long ago something was that is marked now, in ms; a laptop that slept in between counts, too. */
export function ageMark(): () => number {
  const at = Date.now();
  return () => Date.now() - at;
}

/** `22 Nov 2026`, in that zone. */
export const dayText = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat("en-GB", { timeZone, day: "numeric", month: "short", year: "numeric" }).format(at);

/** `04:05:06`, in that zone; with `.123` where milliseconds are asked for. */
export const clockText = (at: Date, timeZone: string, { ms = false } = {}): string =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    ...(ms && { fractionalSecondDigits: 3 }),
  }).format(at);

/** The clock alone for a time of today, else with its day, and its year where that is another. */
export function shortTime(at: Date, timeZone: string): string {
  const day = dayText(at, timeZone);
  const today = dayText(new Date(now.value), timeZone);
  if (day === today) return clockText(at, timeZone);
  const sameYear = day.slice(-4) === today.slice(-4);
  return `${sameYear ? day.slice(0, -5) : day}, ${clockText(at, timeZone)}`;
}

/** `22 Nov 2026, 04:05:06.123 UTC`: whole, for readers who need it exactly. */
export const fullTime = (at: Date, timeZone: string): string =>
  `${dayText(at, timeZone)}, ${clockText(at, timeZone, { ms: true })} ${zoneName(at, timeZone)}`;

/** The common name of the zone at that time: `UTC`, `WAT`, `GMT+1`. */
function zoneName(at: Date, timeZone: string): string {
  if (timeZone === "UTC") return "UTC";
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone, timeZoneName: "short" }).formatToParts(at);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
}

/** As an input of type datetime-local has it, in the zone that times are shown in. */
export const timeInInput = (at: Date): string =>
  new Date(+at - (inUtc.value ? 0 : at.getTimezoneOffset()) * 60_000).toISOString().slice(0, 16);

/** A time in the zone that is shown. @param text `2026-11-22T04:05`, or "". @returns null unless it is one. */
export function timeGiven(text: string): Date | null {
  if (text === "") return null;
  const at = new Date(inUtc.value ? `${text}Z` : text);
  return Number.isNaN(at.getTime()) ? null : at;
}
