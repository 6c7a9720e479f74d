import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from "kysely";
import { codeOf, messageOf } from "../errors/index.ts";
import { command, returned, Statement } from "./statement.ts";
import type { Database } from "./tables.ts";

const clock = new Statement(
  { time: returned.time, text: returned.text() },
  () => sql`select now as time, now::text as text from clock_timestamp() as now`,
);

async function readClock(db: QueryExecutorProvider): Promise<{ time: Date; text: string }> {
  const [row] = await clock.execute(db);
  if (row === undefined) throw new Error("Postgres did not tell its time");
  return row;
}

/** The time of Postgres' clock, to the millisecond, to compare its moments with. */
export async function databaseTime(db: QueryExecutorProvider): Promise<Date> {
  return (await readClock(db)).time;
}

/** So long ago, in ms, by Postgres' clock. */
export async function timeBefore(db: QueryExecutorProvider, ageMs: number): Promise<Date> {
  return new Date((await databaseTime(db)).getTime() - ageMs);
}

/** Postgres' clock as it writes it, to the microsecond. */
export async function databaseClock(db: QueryExecutorProvider): Promise<string> {
  return (await readClock(db)).text;
}

const version = new Statement(
  { version: returned.text() },
  () => sql`select split_part(current_setting('server_version'), ' ', 1) as version`,
);

export async function readPostgresVersion<Schema>(db: Kysely<Schema>): Promise<string> {
  const [row] = await version.execute(db);
  return row?.version ?? "unknown";
}

/** Why callbacks cannot be recorded, for a person; no secrets, no personal data. */
export interface Why {
  /** The fault, without a full stop. */
  reason: string;
  /** The remedy, a sentence. */
  action: string;
}

/** The fault that keeps callbacks from being recorded. */
export interface RecordingProblem extends Why {
  alarm: "database_away" | "recording_failing";
}

export const READ_ONLY: Why = {
  reason: "Postgres is read-only",
  action:
    "Point DATABASE_URL at the primary, or end its read-only mode (default_transaction_read_only there).",
};

const LOOK_AT_POSTGRES = "Look at Postgres: its log, its disk, its locks and its connections.";

/** SQLSTATEs of a server that answers and takes no writes, with what to do. */
const REASONS: Readonly<Record<string, Why>> = {
  "25006": READ_ONLY,
  "42501": {
    reason: "the database user may not write callbacks",
    action: "Connect as the owner of the tables.",
  },
  "53100": { reason: "Postgres' disk is full", action: "Free space on it, or enlarge it." },
  "55P03": { reason: "a lock is held for too long", action: "Find who holds it (pg_locks), and end it." },
  "57014": {
    reason: "Postgres takes too long to commit",
    action: "Check its disk, its locks and its synchronous standbys.",
  },
};

/** Why work other than recording only fails. */
export const failedWork = (error: unknown): Why =>
  REASONS[codeOf(error)] ?? { reason: messageOf(error), action: LOOK_AT_POSTGRES };

/** @param error what Postgres said to a write, or that it said nothing. */
export function failedWrite(error: unknown): RecordingProblem {
  const why = REASONS[codeOf(error)];
  const other = { reason: `a write failed (${messageOf(error)})`, action: LOOK_AT_POSTGRES };
  return { alarm: "recording_failing", ...(why ?? other) };
}

/** Answers to the question below by a server that is up and refuses, as SQLSTATEs. */
const REFUSED = /^(42[0-9A-Z]{3}|25006|53100)$/;

// The default of new transactions, since the current one may be read-only by its own choice.
const IS_READ_ONLY = sql`(pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on')`;

/** A condition: `findRecordingProblem` would find none. */
export const takesCallbacks: RawBuilder<boolean> = sql`(not ${IS_READ_ONLY})`;

const selectReadOnly = new Statement(
  { readOnly: returned.boolean },
  () => sql`select ${IS_READ_ONLY} as "readOnly"`,
);

/** Whether Postgres takes no writes at all. @throws what the database throws. */
export async function isReadOnly(db: Database): Promise<boolean> {
  const [row] = await selectReadOnly.execute(db);
  return row?.readOnly !== false;
}

/** @throws what a write would, after which the pool makes its sessions anew. */
export const requireWrites = command(
  () => sql`do $$ begin if ${IS_READ_ONLY} then raise read_only_sql_transaction; end if; end $$`,
);

/** Whether Postgres would take callbacks. Reads no table, since its lock may be held; a full disk does not show. */
export async function findRecordingProblem(db: Database): Promise<RecordingProblem | null> {
  try {
    await requireWrites(db);
    return null;
  } catch (error) {
    if (REFUSED.test(codeOf(error))) return failedWrite(error);
    return { alarm: "database_away", reason: messageOf(error), action: LOOK_AT_POSTGRES };
  }
}
