import { DateTime } from "luxon";
import { z } from "zod";
import { isRawJson } from "./exact-json.ts";

/** How a text with a date begins: luxon takes a time alone as one of today, and any four digits as a year. */
const DATE = /^\d{4}(?:-|W|\d{3,4}(?:T|$))/i;

/** The form of nearly all times. */
const PLAIN_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** The end of a time that names its zone's offset from UTC. */
const OFFSET = /[Tt ].*[+-](\d\d)(?::?(\d\d))?$/;

/** No zone is farther from UTC. */
const FARTHEST_MINUTES = 14 * 60;

/** No provider of ours is older; the years that platforms write for "no date" are. */
export const FIRST_YEAR = 2000;

const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * The moment that the provider's text names; null when it is empty, unreadable, of an invalid zone, of a year
 * before 2000 (platforms write years such as 1 and 1970 for "no date") or after 9999 (consumers cannot read
 * it). The year is that of the text, so that the zone does not decide whether it names a moment. Fractions
 * below 1 ms are cut.
 * @param zone the zone of times without a zone, such as `UTC` or `Africa/Lagos`.
 */
export function toUtc(text: string | null | undefined, zone: string): Date | null {
  const given = text?.trim() ?? "";
  const plain = plainUtc(given);
  if (plain !== null) return plain.getUTCFullYear() >= FIRST_YEAR ? plain : null;
  const [, hours = "0", minutes = "0"] = OFFSET.exec(given) ?? [];
  const isOfNoZone = Number(minutes) > 59 || Number(hours) * 60 + Number(minutes) > FARTHEST_MINUTES;
  if (!DATE.test(given) || isOfNoZone) return null;
  const read = DateTime.fromISO(given.replace(" ", "T"), { zone, setZone: true });
  return read.year >= FIRST_YEAR && read.year <= 9999 ? new Date(Math.min(read.toMillis(), LAST_MS)) : null;
}

/** Null for another form, and for a day that does not exist. Luxon takes three times as long for each of a payment's. */
function plainUtc(text: string): Date | null {
  if (!PLAIN_UTC.test(text)) return null;
  const at = new Date(text);
  // 30 February comes back as 2 March.
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text.slice(0, 19)) ? at : null;
}

// How the client reads: an optional field that is not what it should be becomes null, and stays as it came in
// the answer's `document`; only a required one is a problem. Each field of an invoice is a single transform,
// since every further step of a chain costs time on each payment.

/** Text as it stands; a number or boolean as its own digits; left out or null is null; undefined when it is no text. */
function textOf(value: unknown): string | null | undefined {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return null;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return isRawJson(value) ? value.rawJSON : undefined;
}

function wrong(context: z.RefinementCtx, text: string | null | undefined): never {
  context.addIssue(text === undefined ? "should be text" : "is missing");
  return z.NEVER;
}

/** Text, a number or a boolean as its own digits; left out, null or anything else becomes null. */
export const textRead = z.transform((value: unknown): string | null => textOf(value) ?? null);

/** Text that has to be there and not be empty. */
export const textRequiredRead = z.transform((value: unknown, context): string => {
  const text = textOf(value);
  return text ? text : wrong(context, text);
});

/** A time as the provider wrote it; left out, null, empty (interface, part B) or no text becomes null. */
export const timeRead = z.transform((value: unknown): string | null => {
  const text = textOf(value) ?? "";
  return text.trim() === "" ? null : text;
});

/** An id in lower case, so that ids compare as they are. */
export const idRead = z.transform((value: unknown, context): string => {
  const text = textOf(value);
  return text ? text.toLowerCase() : wrong(context, text);
});

/** A number, or text that holds one; anything else becomes null. */
export const numberRead = textRead.transform((text): number | null => {
  const number = text === null || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : null;
});

/** A map of text to text; anything else becomes empty; a value that is no text is kept as its JSON. */
export const metadataRead = z.transform((value: unknown): Record<string, string> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, textOf(one) ?? JSON.stringify(one)]),
  );
});

/** A list of what `item` reads; anything else becomes `otherwise`. The first item that is odd ends it. */
export function listRead<Item extends z.ZodType, Otherwise>(item: Item, otherwise: Otherwise) {
  return z.transform((value: unknown): z.output<Item>[] | Otherwise => {
    if (!Array.isArray(value)) return otherwise;
    const list: z.output<Item>[] = [];
    for (const one of value) {
      const read = item.safeParse(one);
      if (!read.success) return otherwise;
      list.push(read.data);
    }
    return list;
  });
}

/**
 * A required list of objects. Only the first item that is not an object is a problem: to find a problem in
 * each would take a second.
 * @param item takes any object.
 */
export function listRequiredRead<Item extends z.ZodType>(item: Item) {
  return z.transform((value: unknown, context): z.output<Item>[] => {
    if (!Array.isArray(value)) {
      context.addIssue(value === undefined ? "is missing" : "should be a list");
      return z.NEVER;
    }
    const odd = value.findIndex((one) => !isObject(one));
    if (odd === -1) return value.map((one) => item.parse(one));
    context.addIssue({ code: "custom", message: "should be an object", path: [odd] });
    return z.NEVER;
  });
}

const isObject = (value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isRawJson(value);

/** An object; anything else becomes null. */
export function objectRead<Shape extends z.ZodRawShape>(shape: Shape) {
  const object = z.looseObject(shape);
  return z.transform((value: unknown) => object.safeParse(value).data ?? null);
}

/** True or false; anything else becomes null. */
export const flagRead = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === "boolean" ? value : null));
