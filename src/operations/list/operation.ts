import { z } from "zod";
import type { Route } from "../../pipeline/publish/index.ts";
import type { certifyPeriod, reconcilePeriod } from "../../pipeline/reconcile/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { isRefusedData, notFoundError, RelayError } from "../../platform/errors/index.ts";
import type { Signer } from "../../platform/signing/index.ts";
import { listFirstServed } from "../../platform/upstreams/index.ts";
import { ownWords, problemsOf } from "../../platform/validation/index.ts";
import { type Mask, type Role, SOME_ID, shortText } from "../../platform/values/index.ts";
import type { BookSource } from "../report/read-payments.ts";
import type { StatusSettings } from "../status.ts";
import type { Either, View } from "../views/view.ts";
import type { Period } from "./fields.ts";

export interface OperationParts {
  db: Database;
  routes: readonly Route[];
  /** The topics that a source's events go to. @throws RelayError when there is no such source. */
  topicsOf: (source: string) => readonly string[];
  /** The other topics that an admin may replay events to. */
  replayTopicArns: readonly string[];
  retentionMs: number;
  personalDataMs?: number | undefined;
  /** The settings that `status` needs. */
  statusSettings: StatusSettings;
  /** Masks callback tokens in a text; every response passes through it. */
  mask: Mask;
  /** Signs what is issued; null without CERTIFICATE_SIGNING_KEY: it is unsigned then. */
  signer: Signer | null;
  /** The settings of each source that the books need. */
  books: readonly BookSource[];
  certify: (request: Period) => ReturnType<typeof certifyPeriod>;
  reconcile: (
    request: Period & { publish: boolean; reason?: string | undefined },
    actor: string,
  ) => ReturnType<typeof reconcilePeriod>;
  /** Sends a test message to ALARM_WEBHOOK_URL. @returns what went wrong. @throws RelayError without it. */
  tryWebhook: () => Promise<string | null>;
}

export interface OperationContext extends OperationParts {
  actor: string;
  role: Role;
}

type Schema = z.ZodType | undefined;
type Output<S extends Schema> = S extends z.ZodType ? z.output<S> : undefined;
/** A caller's input; undefined where the operation takes nothing. */
type Input<S extends Schema> = S extends z.ZodType ? z.input<S> : undefined;

export interface OperationShape<
  Id extends string = string,
  Method extends string = string,
  Path extends string = string,
  PathParameters extends z.ZodObject | undefined = z.ZodObject | undefined,
  Query extends z.ZodObject | undefined = z.ZodObject | undefined,
  Body extends Schema = Schema,
  Result extends z.ZodType = z.ZodType,
> extends Described<PathParameters, Query, Body, Result> {
  id: Id;
  method: Method;
  /** Below `/admin/v1`, with `{name}` for what `pathParameters` describe. */
  path: Path;
  tag: string;
}

interface Described<
  PathParameters extends z.ZodObject | undefined,
  Query extends z.ZodObject | undefined,
  Body extends Schema,
  Result extends z.ZodType,
> {
  /** A sentence without its full stop. */
  summary: string;
  pathParameters?: PathParameters;
  query?: Query;
  body?: Body;
  result: Result;
  example?: { path?: Input<PathParameters>; query?: Input<Query>; body?: Input<Body> };
  /** The role it needs; by default `read` for a GET and `operate` for anything else. */
  role?: Role;
}

interface Runs<PathParameters extends Schema, Query extends Schema, Body extends Schema, Returned> {
  /** How the result is shown, at a terminal and in the console. */
  view?: View<Either<Returned>>;
  /** Whether the result is bad news: its command ends with exit code 1. */
  isFinding?(result: Returned): boolean;
  /** @returns null when there is nothing with this id. */
  run(
    context: OperationContext,
    input: {
      path: Output<PathParameters>;
      query: Output<Query>;
      body: Output<Body>;
    },
  ): Promise<Returned | null>;
}

/** Any operation, for who calls them all alike. */
export interface Operation extends OperationShape<string, "get" | "post"> {
  /** The types of a response other than JSON; `run` then returns a `Download`. */
  mediaTypes?: readonly string[];
  view?: View<never>;
  isFinding?(result: never): boolean;
  run(context: OperationContext, input: { path: unknown; query: unknown; body: unknown }): Promise<unknown>;
}

export interface Download {
  fileName: string;
  mediaType: string;
  /** Texts are masked on their way; bytes go as they are. */
  parts: AsyncIterable<string | Uint8Array>;
}

/**
 * Makes the operations of one chapter of the document. The function of each gets what its schemas read, and
 * returns what its result says, or tsc fails.
 */
export function operationsAbout(tag: string) {
  const made =
    <const Method extends "get" | "post">(method: Method) =>
    <
      const Id extends string,
      const Path extends string,
      Result extends z.ZodType,
      PathParameters extends z.ZodObject | undefined = undefined,
      Query extends z.ZodObject | undefined = undefined,
      Body extends Schema = undefined,
    >(
      id: Id,
      path: Path,
      definition: Described<PathParameters, Query, Body, Result> &
        Runs<PathParameters, Query, Body, z.output<Result>>,
    ) => ({ ...withExample(path, definition), id, method, path, tag });
  return {
    get: made("get"),
    post: made("post"),
    /** A GET whose result is a file. */
    download: <
      const Id extends string,
      const Path extends string,
      Returned extends Download,
      PathParameters extends z.ZodObject | undefined = undefined,
      Query extends z.ZodObject | undefined = undefined,
    >(
      id: Id,
      path: Path,
      mediaTypes: readonly string[],
      definition: Omit<Described<PathParameters, Query, undefined, z.ZodString>, "result"> &
        Runs<PathParameters, Query, undefined, Returned>,
    ) => ({
      ...withExample(path, definition),
      ...{ id, method: "get" as const, path, tag, mediaTypes, result: z.string() },
    }),
  };
}

/** An id in the path needs no example of its own. */
const withExample = <Definition extends { example?: object }>(path: string, given: Definition): Definition =>
  path.includes("{id}") ? { ...given, example: { path: { id: SOME_ID }, ...given.example } } : given;

export const roleFor = ({ role, method }: Pick<OperationShape, "role" | "method">): Role =>
  role ?? (method === "get" ? "read" : "operate");

/** A server's type as it arrives: times are ISO 8601 text. */
export type Wire<Type> = Type extends Date
  ? string
  : Type extends object
    ? { [Key in keyof Type]: Wire<Type[Key]> }
    : Type;

/** An input that is wrong in every state: the same sentence over HTTP and at a terminal. */
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
 * Reads an operation's input. An unknown parameter is refused like an unknown field of the body: no part of a
 * request is left out silently.
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
function filtersOf({ query, body }: OperationInput): Record<string, unknown>[] {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const { filters, alarms } = isObject(body) ? body : {};
  return [query, body, filters, ...(Array.isArray(alarms) ? alarms : [])].filter(isObject);
}

function refuseInverted(given: Record<string, unknown>): void {
  const { from, to } = given;
  if (typeof from === "string" && typeof to === "string" && Date.parse(from) > Date.parse(to))
    throw new BadInput(`from should not be after ${to}, the end of the period`);
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

/**
 * Runs the operation.
 * @throws BadInput for what only Postgres detects, such as a NUL or the year 0; RelayError for a name that is
 *   not known.
 */
export async function runOperation(
  operation: Operation,
  context: OperationContext,
  input: OperationInput,
): Promise<unknown> {
  try {
    await requireKnownNames(context, input);
    return await operation.run(context, input);
  } catch (error) {
    if (isRefusedData(error)) throw new BadInput("The database does not accept one of the values.", error);
    throw error;
  }
}

type Known = Pick<OperationContext, "db" | "statusSettings">;

/** @throws RelayError for a source that the relay has never known: a typing error, not a filter without matches. */
export async function requireKnownNames(known: Known, input: OperationInput): Promise<void> {
  for (const { source } of filtersOf(input))
    if (typeof source === "string") requireKnownSource(source, await sourcesOf(known));
}

async function sourcesOf({ db, statusSettings }: Known): Promise<string[]> {
  const served = await listFirstServed(db);
  return [...served.map(({ source }) => source), ...(statusSettings.sources ?? []).map(({ name }) => name)];
}

const NAMED = 20;

/** Where nothing is known at all, nothing is refused. */
function requireKnownSource(name: string, given: readonly string[]): void {
  const known = [...new Set(given)];
  if (known.length === 0 || known.includes(name)) return;
  const more = known.length > NAMED ? `, and ${known.length - NAMED} more` : "";
  throw notFoundError(
    `There is no source "${shortText(name)}". Known: ${known.slice(0, NAMED).join(", ")}${more}.`,
  );
}
