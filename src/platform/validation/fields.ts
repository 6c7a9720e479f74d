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
      return `should be ${oneOf(issue.values)}`;
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
