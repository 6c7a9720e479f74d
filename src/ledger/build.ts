import { type RawBuilder, sql, type Transaction } from "kysely";
import { type RowOf, returned, Statement } from "../database/statement.ts";
import type { Database, Tables } from "../database/tables.ts";
import { step } from "../kit/step.ts";
import { appendLeaves, lockLedger, makeLeaf, type NewLeaf } from "./append.ts";
import { KINDS, SHARED } from "./kinds.ts";
import { END_OF_TIMES, FIRST_TIME, microsOf, timeOfMicros } from "./moments.ts";
import { readFirstTime, readRows } from "./read-rows.ts";

// A reading takes in what was committed since the one before, without a column or an index for it. It takes
// the rows of transactions from `low` (the oldest one that ran when the reading before began) up to `high`
// (the oldest one that runs now): all of these have ended, so none commits later, and none is taken twice.
// Which index to find them by: a transaction that began after a moment writes no row that is older than that
// moment by more than SLACK.

/** How much older than its transaction's begin the time of a row may be: batches, waits, clocks that differ. */
const SLACK_MICROS = 300_000_000;

/** Leaves of one transaction, about, and rows of one kind that are read for them at once. */
const LEAVES_AT_ONCE = 2_000;
const ROWS_AT_ONCE = 400;

/** Rows whose leaves are made without letting others work. */
const LEAVES_IN_A_ROW = 100;

/** How long a range of time is read at first, in microseconds. */
const FIRST_SPAN = 3_600_000_000;

/** On the row of `*`. Ids of transactions are xid8, moments are text. */
export interface Reading {
  /** pg_control_system: another server counts transactions anew. */
  server: string;
  /** null: however old. */
  low: number | null;
  high: number;
  begunAt: string;
  /** No older row is new. */
  from: string;
  /** Where it is; null when all is read. */
  place: { from: string; span: number } | null;
  /** At `at` no transaction from `next` on had begun. */
  marks: { next: number; at: string }[];
}

/** Transactions of other databases are none of its business; a prepared one has no session. */
const isOfThisDatabase = sql`(
  exists (select from pg_stat_activity where datname = current_database() and backend_xid = running::xid)
  or exists (select from pg_prepared_xacts where database = current_database() and transaction = running::xid))`;

const MOMENT = {
  server: returned.text(),
  oldest: returned.count,
  next: returned.count,
  at: returned.text(),
};

/** What is asked of a database before each reading. */
const selectMoment = new Statement(
  MOMENT,
  () => sql`
    select (select system_identifier::text from pg_control_system()) as server,
      coalesce(
        (select min(running) from pg_snapshot_xip(now) as running where ${isOfThisDatabase}),
        pg_snapshot_xmax(now))::text::bigint as oldest,
      pg_snapshot_xmax(now)::text::bigint as next,
      to_char(clock_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
    from pg_current_snapshot() as now`,
);

/** Ids of transactions are compared in 32 bits: older ones than this are older than everything. */
const COMPARABLE = 2 ** 31;

/** No row of a transaction that began at this moment is older. */
export const earlier = (time: string): string => timeOfMicros(microsOf(time) - SLACK_MICROS);

/** The reading that follows; null when nothing can have been committed since. */
function nextReading(before: Reading | null, now: RowOf<typeof MOMENT> | undefined): Reading | null {
  if (now === undefined) return null;
  const follows = before !== null && before.server === now.server && now.next - before.high < COMPARABLE;
  if (follows && before.high === now.oldest) return null;
  // What runs while the first reading begins has no older mark.
  const marks = (before?.marks ?? [{ next: now.oldest, at: earlier(now.at) }]).map((mark) =>
    // Since then Postgres' clock was set back, who knows how far.
    mark.at > now.at ? { ...mark, at: FIRST_TIME } : mark,
  );
  const base = (follows ? marks.findLast(({ next }) => next <= before.high) : marks.at(-1)) ?? marks[0];
  const from = before === null || base === undefined ? "-infinity" : earlier(base.at);
  return {
    server: now.server,
    low: follows ? before.high : null,
    high: now.oldest,
    begunAt: now.at,
    from,
    place: { from, span: FIRST_SPAN },
    marks: [...marks.filter((mark) => mark.at >= (base?.at ?? "")), { next: now.next, at: now.at }],
  };
}

/** A condition on rows: this reading takes them. What is old is visible by now, however it was moved since. */
const isTaken = ({ low, high, begunAt }: Reading, time: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  (${low}::text is null or age(known.xmin) <= age(${low}::text::xid8::xid))
  and (${time} < ${earlier(begunAt)}::timestamptz or age(known.xmin) > age(${String(high)}::text::xid8::xid))`;

/**
 * Appends the next leaves of all trees, in one transaction: a process that dies leaves either all of them or
 * none. Call it until it is done. @returns `busy`: another process builds.
 */
export const buildBatch = (db: Database) =>
  db.transaction().execute(async (trx) => {
    if (!(await lockLedger(trx, { wait: false }))) return { state: "busy", leaves: 0 } as const;
    const before = await readReading(trx);
    const reading = before?.place ? before : nextReading(before, (await selectMoment.execute(trx))[0]);
    if (reading === null) return { state: "done", leaves: 0 } as const;
    const fresh = await readOn(trx, reading);
    const leaves = await appendLeaves(trx, fresh);
    await trx
      .updateTable("ledger")
      .set({ reading: JSON.stringify(reading) })
      .where("source", "=", SHARED)
      .execute();
    step("leaves to be kept");
    return { state: reading.place === null ? "done" : "more", leaves } as const;
  });

/** Appends all leaves that are due. @returns how many, or null while another process does. */
export async function buildLedger(db: Database, stop?: AbortSignal): Promise<number | null> {
  let leaves = 0;
  for (;;) {
    const built = await buildBatch(db);
    if (built.leaves > 0) step("leaves kept");
    leaves += built.leaves;
    if (built.state === "busy") return null;
    if (built.state === "done" || stop?.aborted) return leaves;
  }
}

export async function readReading(db: Database): Promise<Reading | null> {
  const row = await db.selectFrom("ledger").select("reading").where("source", "=", SHARED).executeTakeFirst();
  return (row?.reading as Reading | null | undefined) ?? null;
}

/**
 * The leaves of the next rows, of all kinds by their time, so that a payment's stand together; moves the reading's
 * place on.
 */
async function readOn(trx: Transaction<Tables>, reading: Reading): Promise<NewLeaf[]> {
  const leaves: NewLeaf[] = [];
  while (reading.place !== null && leaves.length < LEAVES_AT_ONCE) {
    const { place } = reading;
    const from = place.from === "-infinity" ? await readFirstTime(trx) : place.from;
    const end = from === null ? 0 : microsOf(from) + place.span;
    const isLast = from === null || end >= microsOf(reading.begunAt);
    let to = isLast ? END_OF_TIMES : timeOfMicros(end);
    const found: NewLeaf[] = [];
    let isCut = false;
    for (const kind of from === null ? [] : KINDS) {
      const where = sql`${kind.rows ?? sql`true`} and ${isTaken(reading, sql.ref(`known.${kind.time}`))}`;
      const { rows, more } = await readRows(trx, kind, { from: from ?? "", to, limit: ROWS_AT_ONCE, where });
      for (const row of rows) {
        found.push(makeLeaf(kind, row));
        if (found.length % LEAVES_IN_A_ROW === 0) await new Promise(setImmediate);
      }
      const last = rows.at(-1);
      if (!more || last === undefined) continue;
      // The others are read as far as this one, too.
      to = timeOfMicros(microsOf(last.at) + 1);
      isCut = true;
    }
    leaves.push(...found.filter(({ micros }) => micros < microsOf(to)));
    if (isCut) reading.place = { from: to, span: Math.ceil(place.span / 2) };
    else if (isLast) reading.place = null;
    else reading.place = { from: to, span: place.span * (found.length < LEAVES_AT_ONCE / 4 ? 2 : 1) };
  }
  return leaves;
}
