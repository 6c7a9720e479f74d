import { Alarms } from "../../src/platform/alarms/alarms.ts";
import type { Database } from "../../src/platform/database/tables.ts";
import { createLogger } from "../../src/platform/log/log.ts";
import { createMetrics } from "../../src/platform/metrics/metrics.ts";

/** A log, and the lines that it was told, parsed. */
export function keptLog() {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, log: createLogger({ level: "info", destination }) };
}

/** Alarms of which only the rows are looked at. */
export const alarmsOn = (db: Database): Alarms =>
  new Alarms({ db, log: createLogger({ level: "silent" }), metrics: createMetrics() });
