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

// The days of a source's books: those of its zone (BOOKS_TIME_ZONE). Only here, and never in SQL: Postgres has time
// zone tables of its own, and reads a midnight that is there twice as the later.

/** Times from, and before. */
export interface BookPeriod {
  from: Date;
  to: Date;
}

/** A format costs a thousand times what formatting does: one is made for each zone. */
function formatsOf(options: Intl.DateTimeFormatOptions): (zone: string) => Intl.DateTimeFormat {
  const known = new Map<string, Intl.DateTimeFormat>();
  return (zone) => {
    const format = known.get(zone) ?? new Intl.DateTimeFormat("en-US", { ...options, timeZone: zone });
    known.set(zone, format);
    return format;
  };
}

const formatIn = formatsOf({ calendar: "gregory", year: "numeric", month: "2-digit", day: "2-digit" });
const clockIn = formatsOf({ timeStyle: "medium", hourCycle: "h23" });

/** The day of a time in a zone, YYYY-MM-DD. @throws RangeError when the time is none, or the zone is not known. */
export function bookDayOf(at: Date | number, zone: string): string {
  if (zone === "UTC") return dayOf(at);
  const [month = "", day = "", year = ""] = formatIn(zone).format(at).split("/");
  return `${year.padStart(4, "0")}-${month}-${day}`;
}

/** More than the furthest zone is from UTC, in s. */
const FURTHEST_S = 86_400;

/** The first moment of a day in a zone; where its midnight is skipped, the one that follows. */
export function startOfBookDay(day: string, zone: string): Date {
  const midnight = startOf(day).getTime();
  if (zone === "UTC") return new Date(midnight);
  // Zones change on whole seconds, so the first second with this date, or a later one, is it.
  let before = -FURTHEST_S;
  let reached = FURTHEST_S;
  while (reached - before > 1) {
    const middle = Math.floor((before + reached) / 2);
    if (bookDayOf(midnight + middle * 1_000, zone) < day) before = middle;
    else reached = middle;
  }
  return new Date(midnight + reached * 1_000);
}

/** From the start of one day to the end of another. @param first, last YYYY-MM-DD, both included. */
export const bookPeriod = (first: string, last: string, zone: string): BookPeriod => ({
  from: startOfBookDay(first, zone),
  to: startOfBookDay(addDays(last, 1), zone),
});

/** A single day: of 24 hours, or of 23 or 25 and so on where clocks change. @param day YYYY-MM-DD */
export const bookDay = (day: string, zone: string): BookPeriod => bookPeriod(day, day, zone);

/** The last day of which a period has a part; for one of whole days its last. */
export const lastBookDay = ({ to }: Pick<BookPeriod, "to">, zone: string): string =>
  bookDayOf(to.getTime() - 1, zone);

/** The days of which a period has a part, in order. */
export function bookDaysOf(period: BookPeriod, zone: string): string[] {
  const first = bookDayOf(period.from, zone);
  // Counted: what follows the last day of 9999 is no later text.
  const count = daysBetween(first, lastBookDay(period, zone)) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, n) => addDays(first, n));
}

/** A time as the clocks of a zone show it, to the second, as spreadsheets read it: `2026-10-31 23:59:59`. */
export function bookTimeOf(at: Date, zone: string): string {
  if (zone === "UTC") return at.toISOString().slice(0, 19).replace("T", " ");
  return `${bookDayOf(at, zone)} ${clockIn(zone).format(at)}`;
}
