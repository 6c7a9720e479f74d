import { z } from "zod";

// Fields of results of every kind.

/** A Date here, ISO 8601 text in JSON. */
export const time = z.coerce.date().describe("ISO 8601, UTC.");

export const answeredId = z.guid();

export const decimal = z.string().describe("A decimal string, exact.");

export const whole = z.number().int();

type Json = Record<string, unknown>;

/** @param schema the JSON Schema of an object with a field for each; those of a path are always required. */
export function openApiParameters(place: "path" | "query", schema: Json): Json[] {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...field }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description !== undefined && { description }),
    schema: field,
  }));
}

/** The faults of a value, a line each, starting with the field's name: `amount should be more than 0`. */
export function problemsOf(error: z.ZodError): string[] {
  return [
    ...new Set(
      error.issues.map(({ path, message }) => `${pathOf(path).slice(0, 200) || "The request"} ${message}`),
    ),
  ];
}

/** Where in a document something stands: `sources[0].name`; "" for all of it. */
export const pathOf = (path: readonly PropertyKey[]): string =>
  path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index > 0 ? "." : ""}${String(part)}`))
    .join("");

/** A text that says a value. @param read gives null for any other, of which `problem` is what is wrong. */
export const readAs = <Value>(read: (text: string) => Value | null, problem: string) =>
  z.string().transform((text, context): Value => {
    const value = read(text);
    if (value !== null) return value;
    context.addIssue(problem);
    return z.NEVER;
  });

const KINDS: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "text",
};

/**
 * Words for problems that a schema finds and does not name itself; each completes "<field> …". Passed to
 * `safeParse`.
 */
export const ownWords: z.core.$ZodErrorMap = (issue) => {
  const { input } = issue;
  if (input === undefined && issue.code !== "unrecognized_keys") return "is missing";
  switch (issue.code) {
    case "invalid_type":
      return `should be ${KINDS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `should be ${oneOf(issue.values)}${nearest(input, issue.values)}`;
    case "too_small":
      return `should ${bound(issue.origin, "least", Number(issue.minimum), issue.inclusive)}`;
    case "too_big":
      return `should ${bound(issue.origin, "most", Number(issue.maximum), issue.inclusive)}`;
    case "unrecognized_keys":
      return `holds ${issue.keys.map((key) => key.slice(0, 100)).join(", ")}, which is not known here`;
    case "invalid_format":
      return issue.format === "url" ? "should be a web address" : "should have another form";
    case "invalid_union":
      return "should be one of the kinds that are known here";
    default:
      return "cannot be used";
  }
};

function bound(origin: string, which: "least" | "most", limit: number, inclusive = true): string {
  if (origin === "string") return `have at ${which} ${limit} ${limit === 1 ? "character" : "characters"}`;
  if (origin === "array" || origin === "set")
    return `have at ${which} ${limit} ${limit === 1 ? "entry" : "entries"}`;
  if (inclusive) return `be at ${which} ${limit}`;
  return `be ${which === "least" ? "more" : "less"} than ${limit}`;
}

function oneOf(values: readonly unknown[]): string {
  const words = values.map(String);
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function nearest(given: unknown, values: readonly unknown[]): string {
  // Longer than any of them; the comparison takes the product of both.
  if (typeof given !== "string" || given.length > 100) return "";
  const likely = likelyName(given, values.map(String));
  return likely === null ? "" : `; perhaps ${likely} is meant`;
}

/** The known name that was most likely meant; null when none is close. */
export function likelyName(given: string, known: readonly string[]): string | null {
  const wanted = given.toUpperCase();
  const near = known
    .map((name) => ({ name, distance: distanceOf(wanted, name.toUpperCase()) }))
    .filter(
      ({ name, distance }) =>
        distance <= Math.max(2, name.length / 4) || isPartOf(wanted, name.toUpperCase()),
    )
    .sort((one, other) => one.distance - other.distance);
  return near[0]?.name ?? null;
}

/** Whether the name contains all of its words, as COLLECTION_API_KEY contains those of API_KEY. */
function isPartOf(given: string, name: string): boolean {
  const words = name.split("_");
  return given.split("_").every((word) => word.length > 2 && words.includes(word));
}

/** How many letters to change, add, remove or swap with a neighbour. */
function distanceOf(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      line[column] = Math.min(
        (last[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, line];
  }
  return last[other.length] ?? 0;
}
