import { z } from "zod";
import { RelayError } from "../../kit/errors.ts";
import { isRefusedData } from "../../kit/postgres-errors.ts";
import { ownWords, problemsOf } from "../../kit/problems.ts";
import type { Operation, OperationContext } from "./operation.ts";

/** What was asked for cannot be meant, whatever the state: the same sentence over HTTP and at a terminal. */
export class BadInput extends RelayError {
  constructor(problem: string, cause?: unknown) {
    super(problem, { code: "usage", cause });
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
  if (problems.length > 0) throw new BadInput(`${problems.join("; ")}.`);
  return { path: path.value, query: parameters.value, body: read.value };
}

/** Reads one value. @throws BadInput */
export function readValue<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const { value, problems } = parse(schema, given);
  if (problems.length > 0) throw new BadInput(`${problems.join("; ")}.`);
  return value as z.output<Schema>;
}

function parse(schema: z.ZodType | undefined, given: unknown): { value: unknown; problems: string[] } {
  const result = schema?.safeParse(given, { error: ownWords });
  return { value: result?.data, problems: result?.success === false ? problemsOf(result.error) : [] };
}

/** Runs the operation. @throws BadInput for what only Postgres detects, such as a NUL or the year 0. */
export async function runOperation(
  operation: Operation,
  context: OperationContext,
  input: OperationInput,
): Promise<unknown> {
  try {
    return await operation.run(context, input);
  } catch (error) {
    if (isRefusedData(error)) throw new BadInput("The database does not accept one of the values.", error);
    throw error;
  }
}

/** A parameter that an operation does not have, in the words of `readInput`. */
export const refuseUnknown = (name: string): BadInput =>
  new BadInput(`The request holds ${name}, which is not known here.`);
