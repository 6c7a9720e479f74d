import { sql } from "kysely";
import type { Database } from "../database/tables.ts";
import { type Kind, kindNamed } from "./kinds.ts";
import { readRows } from "./read-rows.ts";

/** A run a day for a hundred years. */
const RUNS_LIMIT = 40_000;

/** A run of retention, from the audit log, whose entries are leaves themselves. */
interface Run {
  at: string;
  /** Rows from before this time were past RETENTION then. */
  before: string;
  /** The month that was dropped, `2026-01`; null for single rows. */
  month: string | null;
  dropsCallbacks: boolean;
  dropsConfirmations: boolean;
}

export async function readRetentionRuns(db: Database): Promise<Run[]> {
  const where = sql`known.action = 'retention'`;
  const range = { from: "-infinity", to: null, limit: RUNS_LIMIT, where };
  const { rows } = await readRows(db, kindNamed("act"), range);
  return rows.flatMap(({ at, values: { subject, detail } }) => {
    const { before, callbacks, confirmations } = JSON.parse(String(detail)) as Record<string, unknown>;
    if (typeof before !== "string") return [];
    const [, year, month] = /^callback_(\d{4})_(\d\d)$/.exec(String(subject)) ?? [];
    return [
      {
        at,
        before,
        month: year === undefined ? null : `${year}-${month}`,
        dropsCallbacks: callbacks !== undefined,
        dropsConfirmations: confirmations !== undefined,
      },
    ];
  });
}

/** When retention took a row, if it did: believed only of what was older than RETENTION then. */
export function retiredAt(runs: readonly Run[], kind: Kind, at: string): string | null {
  const run = runs.find((one) => {
    if (kind.name === "verdict") return one.dropsConfirmations && at < one.at;
    const isTaken = one.month === null || at.startsWith(one.month);
    return kind.name === "callback" && one.dropsCallbacks && isTaken && at < one.before;
  });
  return run?.at ?? null;
}
