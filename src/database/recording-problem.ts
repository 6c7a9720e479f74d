import { type RawBuilder, sql } from "kysely";
import { messageOf } from "../kit/errors.ts";
import { codeOf } from "../kit/postgres-errors.ts";
import { returned, Statement } from "./statement.ts";
import type { Database } from "./tables.ts";

/** Why callbacks cannot be recorded, for a person; no secrets, no personal data. */
export interface Why {
  /** What is wrong, without a full stop. */
  reason: string;
  /** What to do about it, a sentence. */
  action: string;
}

/** What keeps callbacks from being recorded. */
export interface RecordingProblem extends Why {
  alarm: "database_away" | "recording_failing";
}

export const READ_ONLY: Why = {
  reason: "Postgres is read-only",
  action:
    "Point DATABASE_URL at the primary, or end its read-only mode (default_transaction_read_only there).",
};

const NOT_ALLOWED: Why = {
  reason: "the database user may not write callbacks",
  action: "Run invoice-relay migrate, and grant the user the role invoice_relay_receiver.",
};

const LOOK_AT_POSTGRES = "Look at Postgres: its log, its disk, its locks and its connections.";

/** Not even the one that takes what belongs to no other. */
const NO_PARTITION: Why = {
  reason: "the log has no partition for this month",
  action: "Find out who took it away, and run invoice-relay migrate, which makes the months.",
};

/** SQLSTATEs of a server that answers and takes no writes, with what to do. */
const REASONS: Readonly<Record<string, Why>> = {
  "25006": READ_ONLY,
  "42501": NOT_ALLOWED,
  "53100": { reason: "Postgres' disk is full", action: "Free space on it, or enlarge it." },
  "55P03": { reason: "a lock is held for too long", action: "Find who holds it (pg_locks), and end it." },
  "57014": {
    reason: "Postgres takes too long to commit",
    action: "Check its disk, its locks and its synchronous standbys.",
  },
};

/** Postgres has the code of a row that breaks a rule for it, though every row of the month meets the same. */
export const isWithoutPartition = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith("no partition of relation");

/** What Postgres said, where it is known what that means. */
const known = (error: unknown): Why | undefined =>
  isWithoutPartition(error) ? NO_PARTITION : REASONS[codeOf(error)];

/** Why work other than recording only fails. */
export const failedWork = (error: unknown): Why =>
  known(error) ?? { reason: messageOf(error), action: LOOK_AT_POSTGRES };

/** @param error what Postgres said to a write, or that it said nothing. */
export function failedWrite(error: unknown): RecordingProblem {
  const why = known(error) ?? { reason: `a write failed (${messageOf(error)})`, action: LOOK_AT_POSTGRES };
  return { alarm: "recording_failing", ...why };
}

/** Answers to the question below by a server that is up and refuses, as SQLSTATEs. */
const REFUSED = /^(42[0-9A-Z]{3}|25006|53100)$/;

// This asks what new transactions are, since the current one may be read-only by its own choice.
const IS_READ_ONLY = sql`(pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on')`;
const MAY_INSERT = sql`has_table_privilege('callback', 'insert')`;

/** A condition: `findRecordingProblem` would find none. */
export const takesCallbacks: RawBuilder<boolean> = sql`(${MAY_INSERT} and not ${IS_READ_ONLY})`;

const selectServerState = new Statement(
  { readOnly: returned.boolean, mayInsert: returned.boolean },
  () => sql`select ${IS_READ_ONLY} as "readOnly", ${MAY_INSERT} as "mayInsert"`,
);

/** Whether Postgres would take callbacks, asked of no table, whose lock may be held. A full disk does not show. */
export async function findRecordingProblem(db: Database): Promise<RecordingProblem | null> {
  try {
    const [row] = await selectServerState.execute(db);
    if (row?.readOnly !== false) return { alarm: "recording_failing", ...READ_ONLY };
    return row.mayInsert ? null : { alarm: "recording_failing", ...NOT_ALLOWED };
  } catch (error) {
    if (REFUSED.test(codeOf(error))) return failedWrite(error);
    return { alarm: "database_away", reason: messageOf(error), action: LOOK_AT_POSTGRES };
  }
}

/** Whether Postgres takes no writes at all. @throws what the database throws. */
export async function isReadOnly(db: Database): Promise<boolean> {
  const [row] = await selectServerState.execute(db);
  return row?.readOnly !== false;
}
