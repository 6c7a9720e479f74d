import { DateTime } from "luxon";

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?([Zz]|[+-]\d\d:?\d\d)?)?$/;

/** What a time ends with that names how far its zone is from UTC. */
const OFFSET = /[Tt ].*[+-](\d\d)(?::?(\d\d))?$/;

/** How a text with a date begins: luxon takes a time alone as one of today, and any four digits as a year. */
const DATE = /^\d{4}(?:-|W|\d{3,4}(?:T|$))/i;

/** No zone is farther from UTC. */
const FARTHEST_MINUTES = 14 * 60;

/**
 * The moment that the provider's text names, or null when it names none (empty, unreadable, of a zone
 * that is none, or of a year before 2000, such as years 1 and 1970, which platforms write for "no date", or after
 * 9999, which consumers cannot read). The year is that of the text: whatever the zone, it names a moment or none.
 * Fractions below 1 ms are cut.
 * @param zone the zone of times that name none, such as `UTC` or `Africa/Lagos`.
 */
export function toUtc(text: string | null | undefined, zone: string): Date | null {
  const given = text?.trim() ?? "";
  // Nearly all end in Z, and need no look at their offset.
  if (given === "" || (!given.endsWith("Z") && isOfNoZone(given))) return null;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", offset] =
    ISO.exec(given) ?? [];
  const elsewhere = offset === undefined && zone !== "UTC";
  // 24:00, the end of a day, is luxon's.
  if (year === undefined || elsewhere || hour === "24") {
    if (!DATE.test(given)) return null;
    const read = DateTime.fromISO(given.replace(" ", "T"), { zone });
    return momentOf(read.year, read.toMillis());
  }

  const date = [Number(year), Number(month) - 1, Number(day)] as const;
  const time = [Number(hour), Number(minute), Number(second)] as const;
  const ms = fraction === "" ? 0 : Number(fraction.padEnd(3, "0").slice(0, 3));
  const wall = new Date(Date.UTC(...date, ...time, ms));
  // Date.UTC rolls 30 February over into March; what does not come back as it was does not exist. Compared part by
  // part: to write it as a text takes twice as long, three times for each answer.
  const cameBack =
    wall.getUTCFullYear() === date[0] &&
    wall.getUTCMonth() === date[1] &&
    wall.getUTCDate() === date[2] &&
    wall.getUTCHours() === time[0] &&
    wall.getUTCMinutes() === time[1] &&
    wall.getUTCSeconds() === time[2];
  return cameBack ? momentOf(date[0], wall.getTime() - offsetMs(offset)) : null;
}

function isOfNoZone(given: string): boolean {
  const [, hours = "0", minutes = "0"] = OFFSET.exec(given) ?? [];
  return Number(minutes) > 59 || Number(hours) * 60 + Number(minutes) > FARTHEST_MINUTES;
}

function offsetMs(offset: string | undefined): number {
  if (offset === undefined || offset === "Z") return 0;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? [];
  if (sign === undefined) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** No provider of ours is older; the years that platforms write for "no date" are. */
export const FIRST_YEAR = 2000;

const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

const momentOf = (year: number, ms: number): Date | null =>
  year >= FIRST_YEAR && year <= 9999 ? new Date(Math.min(ms, LAST_MS)) : null;
