import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";

import { collapseRepeats } from "./collapse-repeats.ts";
import { PERSONAL_FIELDS } from "./personal-fields.ts";

export type Logger = PinoLogger;
export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

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

/**
 * One JSON line a record: UTC time, level as a word. Secrets and personal data are left out by key, repeats
 * of a warning or an error are counted.
 */
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
