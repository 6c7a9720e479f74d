import { addDays, dayOf, daysBetween, startOf } from "./time.ts";

// What a day is in the books of a source: those of its zone (BOOKS_TIME_ZONE). Only here, and
// never in SQL: Postgres has time zone tables of its own, and reads a midnight that is there twice as the later.

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

/** The day that it is in whichever of the zones, and of UTC, is furthest. */
export const latestBookDay = (at: Date, zones: readonly string[]): string =>
  zones.reduce((latest, zone) => (bookDayOf(at, zone) > latest ? bookDayOf(at, zone) : latest), dayOf(at));

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

/** One day: of 24 hours, or of 23 or 25 and so on where clocks change. @param day YYYY-MM-DD */
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
