import { z } from "zod";
import { RelayError } from "../../kit/errors.ts";
import { ownWords, problemsOf } from "../../kit/problems.ts";
import type { Operation } from "./operation.ts";

/** What was asked for cannot be meant, whatever the state: the same sentence over HTTP and at a terminal. */
export class BadInput extends RelayError {
  /** Each begins with the name of a field. */
  readonly problems: readonly string[];

  constructor(problems: string | readonly string[], cause?: unknown) {
    const all = [problems].flat();
    super(`${all.join("; ").replace(/\.$/, "")}.`, { code: "usage", cause });
    this.problems = all;
  }
}

export interface OperationInput {
  path: unknown;
  query: unknown;
  body: unknown;
}

/**
 * Reads what an operation takes. A parameter that it does not know is refused like an unknown field of its
 * body: what somebody asked for is never left out silently.
 * @throws BadInput that names every field that is wrong.
 */
export function readInput(
  { pathParameters, query = z.object({}), body }: Pick<Operation, "pathParameters" | "query" | "body">,
  given: OperationInput,
): OperationInput {
  const [path, parameters, read] = [
    parse(pathParameters, given.path),
    parse(query.strict(), given.query),
    parse(body, given.body),
  ];
  const problems = [...path.problems, ...parameters.problems, ...read.problems];
  if (problems.length > 0) throw new BadInput(problems);
  const input = { path: path.value, query: parameters.value, body: read.value };
  for (const given of filtersOf(input)) refuseInverted(given);
  return input;
}

/** Where an input may hold filters. */
export function filtersOf({ query, body }: OperationInput): Record<string, unknown>[] {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const { filters, alarms } = isObject(body) ? body : {};
  return [query, body, filters, ...(Array.isArray(alarms) ? alarms : [])].filter(isObject);
}

function refuseInverted(given: Record<string, unknown>): void {
  for (const [first, last] of [
    ["from", "to"],
    ["confirmedFrom", "confirmedTo"],
  ] as const) {
    const [from, to] = [given[first], given[last]];
    if (typeof from === "string" && typeof to === "string" && Date.parse(from) > Date.parse(to))
      throw new BadInput(`${first} should not be after ${to}, the end of the period`);
  }
}

/** Reads one value. @throws BadInput */
export function readValue<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const { value, problems } = parse(schema, given);
  if (problems.length > 0) throw new BadInput(problems);
  return value as z.output<Schema>;
}

function parse(schema: z.ZodType | undefined, given: unknown): { value: unknown; problems: string[] } {
  const result = schema?.safeParse(given, { error: ownWords });
  return { value: result?.data, problems: result?.success === false ? problemsOf(result.error) : [] };
}

/** A parameter that an operation does not have, in the words of `readInput`. */
export const refuseUnknown = (name: string): BadInput =>
  new BadInput(`The request holds ${name}, which is not known here.`);
