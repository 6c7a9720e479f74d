import { quietText } from "./mask.ts";
import { codeOf } from "./postgres-errors.ts";
import { plainText } from "./text.ts";

/** What happens to the work after an error: policy is a lookup, not a guess at each place. */
export type Next =
  /** try again later: the fault passes by itself */
  | "retry"
  /** the request was wrong: repeating it unchanged cannot help */
  | "refuse"
  /** stop asking this counterpart until someone or something repairs it */
  | "pause"
  /** given up, visibly, as a dead letter */
  | "bury";

/** What kind of fault it is, for programs: the command line's exit code and the `code` in its JSON. */
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
  cause?: unknown;
}

/** An error that a person is meant to read: its message says what is wrong, where, and what to do. */
export class RelayError extends Error {
  readonly next: Next;
  readonly code: ErrorCode;

  constructor(message: string, { next = "refuse", code = "failed", cause }: RelayErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.next = next;
    this.code = code;
  }
}

/** The command line, or what stands in a file that it names, is wrong. */
export const usageError = (message: string, cause?: unknown): RelayError =>
  new RelayError(message, { code: "usage", cause });

/** Nothing of that id or name is here. */
export const notFoundError = (message: string): RelayError => new RelayError(message, { code: "not_found" });

/** On one line, shortened; secrets and personal data that can be told by their looks are masked. */
export function messageOf(error: unknown): string {
  const text =
    error instanceof AggregateError && error.message === ""
      ? error.errors.map(messageOf).join("; ")
      : error instanceof Error
        ? withoutRowValues(error)
        : String(error);
  return plainText(quietText(text).replaceAll(/\s+/g, " ").slice(0, 500));
}

/** SQLSTATE 22 and 23 (data, constraint): Postgres quotes the value it refuses, which may be anybody's name. */
const withoutRowValues = (error: Error): string =>
  /^2[23][0-9A-Z]{3}$/.test(codeOf(error))
    ? error.message.replaceAll(/: ".*$|"[^"]*"/gs, "…")
    : error.message;
