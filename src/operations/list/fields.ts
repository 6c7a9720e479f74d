import { z } from "zod";
import { SHOWN_VERDICTS } from "../../pipeline/confirm/index.ts";
import { OWN_VERDICTS } from "../../pipeline/receive/index.ts";
import { EARLIEST } from "../../pipeline/reconcile/index.ts";
import type { Page as Found, PagePosition } from "../../platform/database/index.ts";
import { REMEDY_OPERATIONS } from "../../platform/errors/index.ts";
import { answeredId, decimal, readAs, time, whole } from "../../platform/validation/index.ts";
import { dayOf, UUID } from "../../platform/values/index.ts";

// Shared by the operations.

export { answeredId, decimal, time, whole };

/** The calendar has it. */
const isDay = (text: string): boolean => z.iso.date().safeParse(text).success;

const DAY = "(?!0000)\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])";
const CLOCK = "([01]\\d|2[0-3]):[0-5]\\d";
const TIME = new RegExp(`^${DAY}([T ]${CLOCK}(:[0-5]\\d(\\.\\d+)?)?(Z|[+-]${CLOCK.replace(":", ":?")})?)?$`);

const NO_TIME = "should be a day or a time in UTC such as 2026-11-01 or 2026-11-01T08:30";
const timeText = z.string().regex(TIME, { error: NO_TIME, abort: true });

/** A day or a time, in UTC unless it names a zone; read as ISO 8601. */
export const timeGiven = timeText
  .pipe(
    readAs((given) => {
      const hasZone = /(Z|[+-]\d\d:?\d\d)$/.test(given.slice(10));
      const at = isDay(given.slice(0, 10))
        ? Date.parse(hasZone || given.length === 10 ? given : `${given.replace(" ", "T")}Z`)
        : Number.NaN;
      const text = Number.isNaN(at) ? "" : new Date(at).toISOString();
      // A zone may move it out of the years that Postgres and ISO 8601 write with four digits.
      return /^(?!0000)\d{4}-/.test(text) ? text : null;
    }, NO_TIME),
  )
  .describe("A day or a time, ISO 8601; UTC unless it names a zone.");

/** Any UUID, in upper or lower case; read in lower case. */
export const idGiven = z
  .string()
  .regex(UUID, { error: "should be an id (UUID) such as 3f1c6a52-…", abort: true })
  .toLowerCase()
  .meta({ format: "uuid" });

/** A remedy, as data. */
export const remedy = z
  .object({
    operation: z
      .enum(REMEDY_OPERATIONS)
      .describe("Its operationId; doctor, migrate and serve are commands only."),
    args: z.record(z.string(), z.unknown()).describe("The operation's parameters."),
  })
  .describe("The operation that does it, or that leads there.");

export const idInPath = z.object({ id: idGiven.describe("the id") });

const NO_DAY = { error: "should be a day such as 2026-10-31", abort: true };

/** A day, UTC, that another one follows in the calendar that Postgres and our texts have. */
export const day = z
  .string()
  .regex(new RegExp(`^${DAY}$`), NO_DAY)
  .refine((text) => isDay(text) && text < "9999-12-31", NO_DAY)
  .meta({ format: "date" });

export const period = z.strictObject({
  from: day
    .refine((text) => text >= dayOf(EARLIEST), {
      error: `should be ${dayOf(EARLIEST)} or later: no payment is older`,
    })
    .describe("the first day of payment, YYYY-MM-DD, in the zone of the books (BOOKS_TIME_ZONE)"),
  to: day.describe("the last day of payment, included"),
  collection: idGiven.optional().describe("one of COLLECTION_IDS; all of them by default"),
});
export type Period = z.output<typeof period>;

const UNSTORABLE = { error: "should hold no control characters", abort: true };

/** A line that Postgres can store, or nothing. */
export const line = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[ -~\u00A0-\uFFFF]*$/, UNSTORABLE)
    // Half a character is none that JSON in Postgres takes.
    .refine((text) => text.isWellFormed(), UNSTORABLE);

/** A name that people use: a line, not blank. */
export const name = (most = 300) => line(most).regex(/\S/, { error: "should not be empty" });

const REASON = { error: "should be a few words, 500 characters at most" };
const NO_NUL = new RegExp(`^[^${"\\u0000"}]*$`);
/** Text that people write, perhaps in several lines; it may be empty. */
export const words = z
  .string()
  .trim()
  .max(500, REASON)
  .regex(NO_NUL, REASON)
  .refine((text) => text.isWellFormed(), REASON);
export const reason = words
  .regex(/\S/, REASON)
  .optional()
  .describe("why, for the audit log; no personal data");

export const dryRun = z.boolean().default(false).describe("only show what it would do");

/** Of an invoice's confirmation. */
export const shownVerdict = z
  .enum(SHOWN_VERDICTS)
  .describe("`pending` before its first answer; `dead`: given up, a dead letter.");
/** Of a callback, which may open no confirmation. */
export const verdict = z.enum([...SHOWN_VERDICTS, ...OWN_VERDICTS]);

export const source = name().optional().describe("only this source");
export const collection = name().optional().describe("only invoices of the collection with this name");

/** A number in a query or on a command line. */
export const countGiven = (least: number, most: number) => {
  const error = `should be a whole number from ${least} to ${most.toLocaleString("en-US")}`;
  const number = z.number({ error }).int({ error }).min(least, { error }).max(most, { error });
  // Digits only: `Number` takes nothing at all for 0, and 0x10 for 16.
  const read = (given: string | number) =>
    typeof given === "string" && /^\d{1,16}$/.test(given) ? Number(given) : given;
  return z.preprocess(read, number);
};

export const limitInQuery = z.object({
  limit: countGiven(1, 1_000).default(50).describe("the most to list"),
});

/** A time as Postgres writes it, in any zone, and the id and source that break ties. */
const position = z.tuple([z.string().regex(/^[\d :.+-]{10,40}$/), z.guid(), z.string().max(40)]);

const NO_CURSOR = "should be `next` of the previous page";

const cursor = z
  .string()
  .max(300)
  // Base64url of `["`.
  .regex(/^WyI[\w-]+$/, { error: NO_CURSOR, abort: true })
  .transform((text, context): PagePosition => {
    try {
      const [at, id, source] = position.parse(JSON.parse(Buffer.from(text, "base64url").toString()));
      return { at, id, source };
    } catch {
      context.addIssue(NO_CURSOR);
      return z.NEVER;
    }
  });

/** Pages of a long list. */
export const pageInQuery = z.object({
  ...limitInQuery.shape,
  cursor: cursor.optional().describe("`next` of the previous page, with the same filters"),
});

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    next: z.string().nullable().describe("The cursor of the next page; null at the end."),
  });

export const pageFrom = <Item>({ items, next }: Found<Item>) => ({
  items,
  next:
    next === null ? null : Buffer.from(JSON.stringify([next.at, next.id, next.source])).toString("base64url"),
});

export const bodyShown = {
  body: z.string().describe("Base64, with callback tokens masked; empty once erased."),
  bodyIs: z
    .enum(["as_came", "masked", "text"])
    .describe("The original bytes, the bytes with tokens masked, or the masked `text`."),
  text: z.string().nullable().describe("Decoded, with callback tokens masked; null if erased."),
};

export const eventState = z.enum(["due", "claimed", "held", "dead", "published", "lost"]);
