import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";
import { PERSONAL_FIELDS } from "../values/index.ts";

/** The port to tracing. Null while it is off, so that `tracer?.start(…)` costs nothing then, not even its arguments. */
export interface Tracer {
  start(name: string, begins: SpanStart): Span;
}

export interface SpanStart {
  kind: "server" | "client" | "producer" | "internal";
  /** The traceparent that it continues; without one it begins a trace of its own. */
  parent?: string | null;
  /** Traceparents of what else led to it. */
  links?: readonly string[];
  /** Ids, counts and outcomes: never a secret, nothing personal. */
  attributes?: SpanAttributes;
}

type SpanAttributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

/** A piece of work that is being traced. A span that never ends is never sent. */
export interface Span {
  /** Its W3C trace context, as the header `traceparent` writes it; others continue the trace by it. */
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  /** @param failure what kind of failure it ended with; none when left out. */
  end(failure?: string): void;
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Whether it is a trace context of the one version in use, 00 (W3C Trace Context, level 1). */
export const isTraceparent = (text: unknown): text is string =>
  typeof text === "string" && TRACEPARENT.test(text);

export type Logger = PinoLogger;
type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

/** Keys whose values never reach a log line, at its top level or up to two objects deep. */
const FORBIDDEN_KEYS = [
  "token",
  "apiKey",
  "authorization",
  "cookie",
  "x-api-key",
  "email",
  "phoneNumber",
  "body",
  "headers",
  ...PERSONAL_FIELDS.map(({ answer }) => answer),
];

/** Writes a JSON line for each record. Secrets and personal data are left out by key. */
export function createLogger(options: { level: LogLevel; destination?: DestinationStream }): Logger {
  const paths = FORBIDDEN_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]);
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths, censor: "[left out]" },
    },
    options.destination ?? pino.destination({ dest: 1, sync: true }),
  );
}
