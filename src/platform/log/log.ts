import { type DestinationStream, type LoggerOptions, type Logger as PinoLogger, pino } from "pino";
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

/** Ends the span together with the work. */
export async function endWith<Value>(span: Span, work: Promise<Value>): Promise<Value> {
  try {
    const value = await work;
    span.end();
    return value;
  } catch (error) {
    span.end(error instanceof Error ? error.name : "Error");
    throw error;
  }
}

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

/** Writes a JSON line for each record. Secrets and personal data are left out by key; repeated faults are counted. */
export function createLogger(options: { level: LogLevel; destination?: DestinationStream }): Logger {
  const paths = FORBIDDEN_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]);
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { logMethod: collapseRepeats() },
      redact: { paths, censor: "[left out]" },
    },
    options.destination ?? pino.destination({ dest: 1, sync: true }),
  );
}

type LogMethod = NonNullable<NonNullable<LoggerOptions["hooks"]>["logMethod"]>;

/** Warnings and errors; lines at info level are logged each time. */
const FROM_LEVEL = 40;

/** How long repeats are counted before their number is logged, in ms. */
const WINDOW_MS = 10_000;

/** The most kinds of lines watched at a time; any others are logged as they come (G8). */
const KIND_LIMIT = 200;

/** The fields that must agree in two lines, besides their words, for them to be the same. */
const TELLING = ["worker", "source", "error"] as const;

const aboutOf = (facts: unknown): string => {
  const { worker, source } = (facts ?? {}) as Record<string, unknown>;
  return JSON.stringify([worker, source]);
};

/** For each log, what logs the counts that it still holds. */
const untold = new Set<() => void>();

/** Logs all counts that are still held; called when the process ends, so that none is lost. */
export function logRepeats(): void {
  for (const logAll of untold) logAll();
}

function logAtExit(logAll: () => void): void {
  if (untold.size === 0) process.once("exit", logRepeats);
  untold.add(logAll);
}

/**
 * A hook for pino with which the first of several equal warnings or errors is logged at once and the others are
 * counted: "… (the same 45 times in 12 s)". Alarms, and requests that can be found by their id, are always logged.
 */
function collapseRepeats(): LogMethod {
  const kinds = new Map<string, Kind>();
  let tellsAtExit = false;

  function logAll(): void {
    for (const kind of kinds.values()) logCount(kind);
    kinds.clear();
  }

  function watch(key: string): void {
    setTimeout(() => {
      const kind = kinds.get(key);
      if (kind === undefined || kind.count === 0) return void kinds.delete(key);
      logCount(kind);
      watch(key);
    }, WINDOW_MS).unref();
  }

  return function logMethod(args, method, level) {
    const [facts, message] = args as unknown[];
    const key = level < FROM_LEVEL ? null : keyOf(facts, message);
    if (key === null) {
      // Else failures would seem to go on after "works again".
      if (level < FROM_LEVEL)
        for (const kind of kinds.values()) if (kind.about === aboutOf(facts)) logCount(kind);
      return method.apply(this, args);
    }
    const tell = (count: number, seconds: number) =>
      method.apply(this, [facts, `${message} (the same ${times(count)} in ${seconds} s)`]);
    const kind = kinds.get(key);
    if (kind !== undefined) {
      kind.count += 1;
      kind.tell = tell;
      return;
    }
    if (kinds.size < KIND_LIMIT) {
      if (!tellsAtExit) logAtExit(logAll);
      tellsAtExit = true;
      kinds.set(key, { about: aboutOf(facts), count: 0, since: performance.now(), tell });
      watch(key);
    }
    method.apply(this, args);
  };
}

/** A line that came again within the window that is open. */
interface Kind {
  about: string;
  count: number;
  since: number;
  tell: (count: number, seconds: number) => void;
}

function logCount(kind: Kind): void {
  const now = performance.now();
  if (kind.count > 0) kind.tell(kind.count, Math.ceil((now - kind.since) / 1_000));
  kind.count = 0;
  kind.since = now;
}

/** null for what is logged each time. */
function keyOf(facts: unknown, message: unknown): string | null {
  if (typeof facts !== "object" || facts === null || typeof message !== "string") return null;
  if ("alarm" in facts || "requestId" in facts) return null;
  const told = facts as Record<string, unknown>;
  return JSON.stringify([message, ...TELLING.map((name) => told[name])]);
}

const times = (count: number): string => (count === 1 ? "once more" : `${count} times`);
