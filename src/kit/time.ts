export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The day of a time, UTC, YYYY-MM-DD. */
export const dayOf = (at: Date | number): string => new Date(at).toISOString().slice(0, 10);

/** The start of a day, UTC. */
export const startOf = (day: string): Date => new Date(`${day}T00:00:00.000Z`);

/** A day by its digits, YYYY-MM-DD; null when there is none such, as in the year 0 of Postgres. */
export function dayThatExists(year = "", month = "", day = ""): string | null {
  const text = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const at = Date.parse(text);
  return Number.isNaN(at) || dayOf(at) !== text || text < "0001" ? null : text;
}

/** So many days later; earlier when negative. */
export const addDays = (day: string, days: number): string => dayOf(startOf(day).getTime() + days * DAY_MS);

/** The number of days from one to the other. */
export const daysBetween = (first: string, last: string): number =>
  Math.round((startOf(last).getTime() - startOf(first).getTime()) / DAY_MS);

/** A time as a person reads it: `2026-11-22 21:15:00 UTC`. */
export const clock = (at: Date): string => `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** A length of time in ms, in the unit a person would say: `212 ms`, `4.2 s`, `12 min`, `3.5 h`, `2 days`. */
export function spanText(ms: number): string {
  const size = Math.abs(ms);
  // Each unit ends where it would be rounded to the next.
  if (size < 999.5) return `${Math.round(ms)} ms`;
  if (size < 59_500) return `${short(ms / 1_000)} s`;
  if (size < 5_400_000) return `${Math.round(ms / 60_000)} min`;
  if (size < 172_800_000) return `${short(ms / 3_600_000)} h`;
  return `${short(ms / 86_400_000)} days`;
}

const short = (value: number) =>
  Math.abs(value) < 10 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(0);
