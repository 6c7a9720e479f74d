import { z } from "zod";
import { dayThatExists } from "../../../platform/values/index.ts";

// Fields of requests, and of what the service writes. Each message completes "<field> …".

const missingOr = (otherwise: string) => ({
  error: ({ input }: { input?: unknown }) =>
    input === undefined || input === null ? "is missing" : otherwise,
});

const CLEAN = /^[\t\n\r -~\u00A0-\uFFFF]*$/;

/** Not blank, in any script, without control characters, which databases refuse. */
export const text = (most: number) =>
  z
    .string(missingOr("should be text"))
    .max(most, `should have at most ${most} characters`)
    .regex(/\S/, "should not be empty")
    .regex(CLEAN, "should hold no control characters")
    .refine((value) => value.isWellFormed(), "should hold no control characters");

/** No control characters but tabs and line ends, and no half of a character: what every database takes. */
export const isCleanText = (value: string): boolean => CLEAN.test(value) && value.isWellFormed();

/** Trims the blanks around a field, which are a mistake. */
const blanksTrimmed = <Field extends z.ZodType>(field: Field) =>
  z.preprocess((value) => (typeof value === "string" ? value.trim() : value), field);

/** Left out, null or empty counts as not given: null. */
export const optional = <T>(field: z.ZodType<T>) =>
  z
    .preprocess((value) => (value === undefined || value === "" ? null : value), field.nullable())
    .optional()
    .default(null);

/** A UUID of any version, in lower case. */
export const uuid = z
  .guid(missingOr("should be a UUID such as 0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e10"))
  .transform((id) => id.toLowerCase());

export const searchText = blanksTrimmed(text(200));

export const email = blanksTrimmed(text(254))
  .refine(isEmail, "should be an e-mail address such as ada@example.com")
  .meta({ format: "email" });

/** A single @, a name without blanks or dots at its ends, and a domain of at least two labels. */
function isEmail(address: string): boolean {
  const [name = "", domain = "", ...more] = address.split("@");
  const labels = domain.split(".");
  return (
    more.length === 0 &&
    /^[^\s.,;:<>()[\]"\\]+(\.[^\s.,;:<>()[\]"\\]+)*$/.test(name) &&
    labels.length > 1 &&
    labels.every((label) => /^[\p{L}\p{N}-]{1,63}$/u.test(label) && !/^-|-$/.test(label))
  );
}

/** Digits as people write them, from 5 to the 15 that there are at most. */
export const phone = blanksTrimmed(
  text(32).regex(/^\s*\+?[\s().-]*(\d[\s().-]*){5,15}$/, "should be a phone number such as +2348012345678"),
);

const NO_ADDRESS = "should be a web address such as https://example.com/callbacks";

/** An absolute http(s) address. */
export const webAddress = blanksTrimmed(
  text(2_048)
    .regex(/^\s*[Hh][Tt]{2}[Pp][Ss]?:/, NO_ADDRESS)
    .refine((address) => URL.canParse(address), NO_ADDRESS)
    .meta({ format: "uri" }),
);

/** A whole number from `least` to `most`, as a number or, as in a query, as its digits. */
export const wholeNumber = (least: number, most: number) =>
  z
    .custom<number | string>((value) => value !== undefined && value !== null, "is missing")
    .transform((value, context): number => {
      const isNoNumber = typeof value === "string" && !/^[+-]?\d{1,15}$/.test(value);
      const number = isNoNumber ? Number.NaN : Number(value);
      if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
      context.addIssue(`should be a whole number from ${least} to ${most}`);
      return z.NEVER;
    })
    .meta({ type: "integer", minimum: least, maximum: most });

/** A day of the calendar, YYYY-MM-DD; 2024-02-30 is refused. */
export const day = z
  .string(missingOr("should be a date such as 2024-02-29"))
  .refine((value) => {
    const [year, month, dayOfMonth] = value.split("-");
    return dayThatExists(year, month, dayOfMonth) === value;
  }, "should be a date such as 2024-02-29 that exists")
  .meta({ format: "date" });

/** A time in UTC as the service writes it: 2024-05-01T10:00:00.000Z. */
export const utcTime = z.iso.datetime({ error: "should be a UTC time such as 2024-05-01T10:00:00.000Z" });
