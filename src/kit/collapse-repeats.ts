import type { LoggerOptions } from "pino";

type LogMethod = NonNullable<NonNullable<LoggerOptions["hooks"]>["logMethod"]>;

/** Warnings and errors; what is told at info level is told each time. */
const FROM_LEVEL = 40;

/** What comes again within this time is counted, and told with its end, in ms. */
const WINDOW_MS = 10_000;

/** More kinds of lines than this at a time are told as they come (G8). */
const MOST_KINDS = 200;

/** What makes two lines the same, beside their words. */
const TELLING = ["worker", "source", "error"] as const;

/**
 * A hook for pino under which the first of several equal warnings or errors is told at once and the others
 * are counted: "… (the same 45 times in 12 s)". Alarms are always told.
 */
export function collapseRepeats(): LogMethod {
  const kinds = new Map<string, { count: number; tell: (count: number) => void }>();

  function watch(key: string): void {
    setTimeout(() => {
      const kind = kinds.get(key);
      if (kind === undefined || kind.count === 0) return void kinds.delete(key);
      kind.tell(kind.count);
      kind.count = 0;
      watch(key);
    }, WINDOW_MS).unref();
  }

  return function logMethod(args, method, level) {
    const [facts, message] = args as unknown[];
    const key = level < FROM_LEVEL ? null : keyOf(facts, message);
    if (key === null) return method.apply(this, args);
    const tell = (count: number) =>
      method.apply(this, [facts, `${message} (the same ${times(count)} in ${WINDOW_MS / 1_000} s)`]);
    const kind = kinds.get(key);
    if (kind !== undefined) {
      kind.count += 1;
      kind.tell = tell;
      return;
    }
    if (kinds.size < MOST_KINDS) {
      kinds.set(key, { count: 0, tell });
      watch(key);
    }
    method.apply(this, args);
  };
}

/** null for what is told each time. */
function keyOf(facts: unknown, message: unknown): string | null {
  if (typeof facts !== "object" || facts === null || typeof message !== "string" || "alarm" in facts)
    return null;
  const told = facts as Record<string, unknown>;
  return JSON.stringify([message, ...TELLING.map((name) => told[name])]);
}

const times = (count: number): string => (count === 1 ? "once more" : `${count} times`);
