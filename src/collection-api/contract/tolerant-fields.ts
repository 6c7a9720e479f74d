import { z } from "zod";
import { isRawJson } from "./exact-json.ts";

// What the client reads with: only a value that cannot be what the field means is a problem. The fields of an
// invoice are one transform each, since each further step of a chain costs every payment again.

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

/** Text, a number or a boolean as its own digits; left out or null becomes null. */
export const textRead = z.transform((value: unknown, context): string | null => {
  const text = textOf(value);
  return text === undefined ? wrong(context, text) : text;
});

/** Text that has to be there and not be empty. */
export const textRequiredRead = z.transform((value: unknown, context): string => {
  const text = textOf(value);
  return text ? text : wrong(context, text);
});

/** A time as the provider wrote it; left out, null or empty becomes null (interface, part B). */
export const timeRead = z.transform((value: unknown, context): string | null => {
  const text = textOf(value);
  if (text === undefined) return wrong(context, text);
  return text === null || text.trim() === "" ? null : text;
});

/** An id in lower case, so that ids compare as they are. */
export const idRead = z.transform((value: unknown, context): string => {
  const text = textOf(value);
  return text ? text.toLowerCase() : wrong(context, text);
});

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
    z.transform((value: unknown) => (typeof value === "string" ? value : JSON.stringify(value))),
  )
  .nullish()
  .transform((metadata): Record<string, string> => metadata ?? {});

/** True or false; anything else becomes null. */
export const flagRead = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === "boolean" ? value : null));
