import { z } from "zod";
import { isRawJson } from "./exact-json.ts";

// What the client reads with: only a value that cannot be what the field means is a problem.

/** Text as it stands; a number or boolean as its own digits; left out or null becomes null. */
export const textRead = z
  .unknown()
  .optional()
  .transform((value, context): string | null => {
    if (typeof value === "string") return value;
    if (value === undefined || value === null) return null;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    if (isRawJson(value)) return value.rawJSON;
    context.addIssue("should be text");
    return z.NEVER;
  });

/** Text that has to be there and not be empty. */
export const textRequiredRead = textRead.refine(
  (text): text is string => text !== null && text !== "",
  "is missing",
);

/** A time as the provider wrote it; left out, null or empty becomes null (interface, part B). */
export const timeRead = textRead.transform((text) => (text === null || text.trim() === "" ? null : text));

/** An id in lower case, so that ids compare as they are. */
export const idRead = textRequiredRead.transform((id) => id.toLowerCase());

/** A number, or text that holds one; left out, null or empty becomes null. */
export const numberRead = textRead.transform((text, context): number | null => {
  if (text === null || text.trim() === "") return null;
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  context.addIssue("should be a number");
  return z.NEVER;
});

/** A map of text to text; left out or null becomes empty; a value that is no text is kept as its JSON. */
export const metadataRead = z
  .record(
    z.string(),
    z.unknown().transform((value) => (typeof value === "string" ? value : JSON.stringify(value))),
  )
  .nullish()
  .transform((metadata): Record<string, string> => metadata ?? {});

/** True or false; anything else becomes null. */
export const flagRead = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === "boolean" ? value : null));
