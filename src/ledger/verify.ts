import { sql } from "kysely";
import { nullable, returned, VaryingStatement } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { inSnapshot } from "../database/transactions.ts";
import { type CheckedRange, RangeCheck } from "./check-range.ts";
import { checkRoots, checkTrees, type OutsideRoot } from "./check-tree.ts";
import type { Verified } from "./findings.ts";
import { KINDS } from "./kinds.ts";
import { END_OF_TIMES, microsOf, timeOfMicros } from "./moments.ts";
import { readFirstTime } from "./read-rows.ts";
import { readRetentionRuns } from "./retired.ts";
import { holdsTimes } from "./tiles.ts";

/** How far it has come: what was found in the trees, and in rows from before `from`. */
export interface Progress {
  from: string;
  /** About how long the next range is, in microseconds. */
  span: number;
  report: Verified;
}

interface VerifyOptions {
  db: Database;
  /** Rows of these times, ISO 8601; all by default. */
  from?: string | undefined;
  to?: string | undefined;
  roots?: readonly OutsideRoot[];
  onProgress?: (done: number, total: number) => void;
  stop?: AbortSignal | undefined;
  /** Where to go on, if it was begun before. */
  begun?: Progress | null | undefined;
  /** Called wherever it could be stopped. */
  onRange?: (reached: Progress) => Promise<void>;
}

/** Tiles of a range of time that is compared at once, about: fifty thousand leaves. */
const TILES_AT_ONCE = 200;
const FIRST_SPAN = 3_600_000_000;
const SHORTEST_SPAN = 1_000_000;

/** Reads the tables against the trees, and the trees against themselves and the roots that are given. */
export async function verifyLedger(options: VerifyOptions): Promise<Verified> {
  const { db, onProgress, onRange, stop } = options;
  const { report, ...begun } = options.begun ?? (await begin(options));
  const runs = await readRetentionRuns(db);
  let { from, span } = begun;
  while (from !== null) {
    stop?.throwIfAborted();
    const range = await nextRange(db, from, span, options.to);
    const { to, factor } = await inSnapshot(db, (snapshot) =>
      new RangeCheck(snapshot, range, runs, report).run(),
    );
    onProgress?.(report.rows + report.replaced + report.retired.count, report.leaves);
    span = Math.max(range.span * factor, SHORTEST_SPAN);
    from = range.isLast && to === range.to ? null : to;
    if (from !== null) await onRange?.({ from, span, report });
  }
  return report;
}

/** Checks the trees themselves. @returns the rest to do; `from` is null where there is no row. */
async function begin({ db, from, roots = [], stop }: VerifyOptions) {
  const trees = await checkTrees(db, stop);
  const found = [...(await checkRoots(db, roots)), ...trees.findings];
  const report: Verified = {
    proves: roots.length > 0 ? "unchanged" : "consistent",
    withoutRoot:
      roots.length > 0 ? trees.sources.filter((name) => !roots.some(({ source }) => source === name)) : [],
    uncovered: Object.fromEntries(
      KINDS.flatMap(({ table, uncovered }) => (uncovered === undefined ? [] : [[table, [...uncovered]]])),
    ),
    leaves: trees.leaves,
    rows: 0,
    replaced: 0,
    retired: { count: 0, lastAt: null },
    pending: 0,
    findings: found,
    findingsInAll: found.length,
  };
  return { from: from ?? (await readOldest(db)), span: FIRST_SPAN, report };
}

const selectOldest = new VaryingStatement(
  { at: nullable(returned.text()) },
  () => sql`select to_char(min(lower(times)), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at from ledger_tile`,
  [undefined],
);

/** The time of the oldest row or leaf. */
async function readOldest(db: Database): Promise<string | null> {
  const [tile] = await selectOldest.execute(db, undefined);
  const times = [await readFirstTime(db), tile?.at ?? null].filter((time) => time !== null);
  return times.sort()[0] ?? null;
}

const countTiles = new VaryingStatement(
  { count: returned.count },
  ({ from, to }: { from: string; to: string }) =>
    sql`select count(*) as count from ledger_tile where ${holdsTimes(from, to)}`,
  [{ from: "", to: "" }],
);

/** The next range that holds few enough tiles. */
async function nextRange(
  db: Database,
  from: string,
  longest: number,
  end: string | undefined,
): Promise<CheckedRange> {
  for (let span = longest; ; span /= 2) {
    const to = timeOfMicros(microsOf(from) + Math.ceil(span));
    const [row] = await countTiles.execute(db, { from, to });
    if ((row?.count ?? 0) > TILES_AT_ONCE && span > SHORTEST_SPAN) continue;
    const isLast =
      end === undefined ? microsOf(to) > (Date.now() + 60_000) * 1_000 : microsOf(to) >= microsOf(end);
    return { from, to: isLast ? (end ?? END_OF_TIMES) : to, span, isLast };
  }
}
