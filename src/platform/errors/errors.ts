import { plainText, quietText } from "../values/index.ts";
import { codeOf, isDatabaseAway } from "./postgres-errors.ts";
import type { Remedy } from "./remedy.ts";

/** The next step for work after an error: a policy to look up, not a guess at each place. */
export type Next =
  /** try again later: the fault passes by itself */
  | "retry"
  /** the request was wrong: repeating it unchanged cannot help */
  | "refuse"
  /** stop asking this counterpart until someone or something repairs it */
  | "pause"
  /** given up, visibly, as a dead letter */
  | "bury";

/** The kind of fault, for programs: the command line's exit code and the `code` in its JSON. */
export type ErrorCode =
  /** the command line, or what stands in a file that it names, is wrong */
  | "usage"
  /** a setting is missing or wrong */
  | "settings"
  /** nothing of that id or name is here, or at the provider */
  | "not_found"
  /** the database does not answer, or is starting or full */
  | "database_away"
  /** the provider does not answer, or cannot just now */
  | "provider_away"
  /** it could not be done for another reason */
  | "failed"
  /** unforeseen: a bug */
  | "unexpected";

interface RelayErrorOptions {
  /** `refuse` when left out. */
  next?: Next | undefined;
  /** `failed` when left out. */
  code?: ErrorCode | undefined;
  /** The remedy, where it is an operation or a command. */
  remedy?: Remedy | undefined;
  cause?: unknown;
}

/** An error that a person is meant to read: its message says what is wrong, where, and what to do, without a command. */
export class RelayError extends Error {
  readonly next: Next;
  readonly code: ErrorCode;
  readonly remedy: Remedy | undefined;

  constructor(message: string, { next = "refuse", code = "failed", remedy, cause }: RelayErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.next = next;
    this.code = code;
    this.remedy = remedy;
  }
}

/** The command line, or what stands in a file that it names, is wrong. */
export const usageError = (message: string, cause?: unknown): RelayError =>
  new RelayError(message, { code: "usage", cause });

/** Nothing of that id or name is here. */
export const notFoundError = (message: string, remedy?: Remedy): RelayError =>
  new RelayError(message, { code: "not_found", remedy });

/** On one line, shortened; secrets and personal data with a recognizable form are masked. */
export function messageOf(error: unknown): string {
  const text =
    error instanceof AggregateError && error.message === ""
      ? error.errors.map(messageOf).join("; ")
      : error instanceof Error
        ? withoutRowValues(error)
        : String(error);
  return plainText(quietText(text).replaceAll(/\s+/g, " ").slice(0, 500));
}

/** SQLSTATE 22 and 23 (data, constraint): Postgres quotes the value it refuses, which may be a person's name. */
const withoutRowValues = (error: Error): string =>
  /^2[23][0-9A-Z]{3}$/.test(codeOf(error))
    ? error.message.replaceAll(/: ".*$|"[^"]*"/gs, "…")
    : error.message;

/** The part of a log line that describes an error, beside the fields of the place that logs it. */
export interface Fault {
  error: string;
  /** Where it was thrown, frame by frame; left out for what was foreseen. */
  stack?: string;
  [work: string]: unknown;
}

/** A bug is logged with its place and work; what explains itself, or comes and goes, in one line. */
export function faultOf(error: unknown): Fault {
  const fault: Fault = { error: messageOf(error) };
  if (isForeseen(error)) return fault;
  const stack = stackOf(error);
  return { ...workOn.get(error as object), ...fault, ...(stack === "" ? {} : { stack }) };
}

const workOn = new WeakMap<object, Readonly<Record<string, unknown>>>();

/** Notes the work during which this was thrown, for a later log line. @returns the same error. */
export function noteWork<Thrown>(error: Thrown, work: Readonly<Record<string, unknown>>): Thrown {
  if (error instanceof Error && !workOn.has(error)) workOn.set(error, work);
  return error;
}

const CAUSE_LIMIT = 3;
const FRAME_LIMIT = 12;

/** Faults of a network, beside the codes that also show that Postgres is away. */
const NETWORK = /^(UND_ERR_\w+|ECONNABORTED|ABORT_ERR)$/;

function isForeseen(error: unknown, causes = CAUSE_LIMIT): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error instanceof RelayError ||
    error.name === "AbortError" ||
    error.name === "TimeoutError" ||
    NETWORK.test(codeOf(error)) ||
    isDatabaseAway(error) ||
    (causes > 0 && isForeseen(error.cause, causes - 1))
  );
}

/** The frames of an error and of what caused it, without its message; empty when there is none. */
export function stackOf(error: unknown, causes = CAUSE_LIMIT): string {
  if (!(error instanceof Error)) return "";
  const { stack = "", message, cause } = error;
  // The message stands before the frames, and may hold lines that look like some.
  const frames = stack
    .slice(Math.max(0, stack.indexOf(message)) + message.length)
    .split("\n")
    .filter((line) => /^ +at /.test(line))
    .slice(0, FRAME_LIMIT)
    .map((line) => line.trim());
  const why =
    causes > 0 && cause instanceof Error ? [`caused by ${messageOf(cause)}`, stackOf(cause, causes - 1)] : [];
  return quietText([...frames, ...why].join("\n"));
}
