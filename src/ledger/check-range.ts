import { sql } from "kysely";
import type { Database } from "../database/tables.ts";
import { earlier, type Reading, readReading } from "./build.ts";
import { readErasures } from "./erasures.ts";
import type { Finding, Verified } from "./findings.ts";
import { KINDS, type Kind, kindNamed } from "./kinds.ts";
import { differingColumns, hashRow, NO_SALT, remainsOf } from "./leaf.ts";
import { END_OF_TIMES, FIRST_TIME, microsOf, timeOfMicros } from "./moments.ts";
import { type LedgerRow, readRow, readRows } from "./read-rows.ts";
import { nameOfRow, type Ref, saltIn, unpackRefs } from "./refs.ts";
import { type readRetentionRuns, retiredAt } from "./retired.ts";
import { HASH_BYTES, holdsTimes, readTiles } from "./tiles.ts";

const LISTED_LIMIT = 1_000;
const ROWS_AT_ONCE = 5_000;

const INSERTED = "it has no leaf, and is of a time when each row got one: it was inserted later";

/** A range of time of rows. */
export interface CheckedRange {
  from: string;
  to: string;
  span: number;
  isLast: boolean;
}

/** A leaf whose row is still to be found. */
interface Held {
  ref: Ref;
  source: string;
  hash: Buffer;
  salt: Buffer | null;
}

/** Compares the rows of a range of time with its leaves, as of one moment. */
export class RangeCheck {
  readonly #db: Database;
  readonly #range: CheckedRange;
  readonly #runs: Awaited<ReturnType<typeof readRetentionRuns>>;
  readonly #report: Verified;

  constructor(
    db: Database,
    range: CheckedRange,
    runs: Awaited<ReturnType<typeof readRetentionRuns>>,
    report: Verified,
  ) {
    this.#db = db;
    this.#range = range;
    this.#runs = runs;
    this.#report = report;
  }

  /**
   * @returns `to`: where it ended, earlier than it should where the range holds more rows than are read at once;
   * `factor`: how much longer the next range should be.
   */
  async run(): Promise<{ to: string; factor: number }> {
    const reading = await readReading(this.#db);
    const read = new Map<Kind, readonly LedgerRow[]>();
    const { from } = this.#range;
    let { to } = this.#range;
    for (const kind of KINDS) {
      const { rows, more } = await readRows(this.#db, kind, { from, to, limit: ROWS_AT_ONCE });
      read.set(kind, rows);
      const last = rows.at(-1);
      // The others are read as far as this one: reading on would have Postgres sort the whole range again.
      if (more && last !== undefined) to = timeOfMicros(microsOf(last.at) + 1);
    }
    const held = await this.#readLeaves(from, to);
    for (const [kind, rows] of read) {
      const leaves = held.get(kind) ?? new Map<string, Held>();
      const own = rows.filter(({ at }) => microsOf(at) < microsOf(to));
      await this.#compareRows(kind, own, leaves, reading);
      for (const [index, leaf] of [...leaves.values()].entries()) {
        await this.#judgeLeft(kind, leaf);
        if (index % 100 === 0) await new Promise(setImmediate);
      }
    }
    if (to === END_OF_TIMES) await this.#findStrays();
    const most = Math.max(...[...read.values()].map((rows) => rows.length));
    return { to, factor: to !== this.#range.to ? 0.5 : most < ROWS_AT_ONCE / 3 ? 2 : 1 };
  }

  /** The leaves of this range, by kind, then by source and version. */
  async #readLeaves(from: string, to: string): Promise<Map<Kind, Map<string, Held>>> {
    const [first, past] = [microsOf(from), microsOf(to)];
    const held = new Map<Kind, Map<string, Held>>(KINDS.map((kind) => [kind, new Map()]));
    const sources = await this.#db.selectFrom("ledger").select("source").execute();
    for (const { source } of sources)
      for (const tile of await readTiles(this.#db, source, holdsTimes(from, to))) {
        let at = 0;
        await new Promise(setImmediate);
        for (const ref of unpackRefs(tile.refs)) {
          const hash = tile.hashes.subarray(at, at + HASH_BYTES);
          at += HASH_BYTES;
          if (ref.micros < first || ref.micros >= past) continue;
          held.get(ref.kind)?.set(source + ref.name, { ref, source, hash, salt: saltIn(tile.salts, ref) });
        }
      }
    return held;
  }

  async #compareRows(
    kind: Kind,
    rows: readonly LedgerRow[],
    leaves: Map<string, Held>,
    reading: Reading | null,
  ): Promise<void> {
    const erased = kind.marks === undefined ? [] : rows.filter(({ values }) => values.erased_at !== null);
    const erasures = erased.length === 0 ? new Map() : await readErasures(this.#db, kind, erased);
    for (const [index, row] of rows.entries()) {
      if (index % 100 === 99) await new Promise(setImmediate);
      const name = row.source + nameOfRow(kind, row);
      const leaf = leaves.get(name);
      if (leaf !== undefined) {
        leaves.delete(name);
        this.#compare(kind, row, leaf, erasures.get(`${row.source} ${row.key} ${row.at}`));
      } else if (isPending(row, reading)) this.#report.pending += 1;
      else this.#find("added", kind, row, [], INSERTED);
    }
  }

  /** Rows that no range holds. */
  async #findStrays(): Promise<void> {
    for (const kind of KINDS)
      for (const [from, to] of [["-infinity", FIRST_TIME] as const, [END_OF_TIMES, null] as const]) {
        const { rows } = await readRows(this.#db, kind, { from, to, limit: LISTED_LIMIT });
        for (const row of rows) this.#find("added", kind, row, [], "it is of a time that no relay writes");
      }
  }

  #compare(kind: Kind, row: LedgerRow, leaf: Held, erasure?: { digests: Buffer; remains: Buffer }): void {
    this.#report.rows += 1;
    const { hash, checks } = hashRow(kind, row, erasure ?? { salt: leaf.salt ?? NO_SALT });
    const remains = erasure === undefined || remainsOf(kind, row).equals(erasure.remains);
    if (hash.equals(leaf.hash) && remains) return;
    const columns = differingColumns(kind, checks, leaf.ref.checks);
    const detail = hash.equals(leaf.hash)
      ? "what erasing left there is something else now"
      : leaf.ref.saltAt !== null && leaf.salt === null && erasure === undefined
        ? "its personal data was erased, and is there again"
        : "it is not what its leaf says";
    this.#find("changed", kind, row, columns, detail);
  }

  /** A leaf without its row among those of its time. */
  async #judgeLeft(kind: Kind, leaf: Held): Promise<void> {
    const { key, micros } = leaf.ref;
    const at = timeOfMicros(micros);
    const row = await readRow(this.#db, kind, leaf.source, key, at);
    const named = { source: leaf.source, key, at };
    if (row === null) {
      const retired = retiredAt(this.#runs, kind, at);
      const isPaid = kind.name === "verdict" && retired !== null && (await this.#hasEvent(leaf.source, key));
      if (retired === null || isPaid)
        return this.#find("removed", kind, named, [], "its leaf is there, and the row is not");
      this.#report.retired.count += 1;
      this.#report.retired.lastAt = retired;
    } else if (row.at === at) {
      const erasures = await readErasures(this.#db, kind, [row]);
      this.#compare(kind, row, leaf, erasures.get(`${row.source} ${row.key} ${row.at}`));
    } else if (kind.hasVersions && row.at > at) this.#report.replaced += 1;
    else this.#find("changed", kind, named, [kind.time], `its leaf is of ${at}, the row of ${row.at}`);
  }

  async #hasEvent(source: string, invoiceId: string): Promise<boolean> {
    const where = sql`known.source = ${source} and known.invoice_id = ${invoiceId}`;
    const range = { from: "-infinity", to: null, limit: 1, where };
    return (await readRows(this.#db, kindNamed("event"), range)).rows.length > 0;
  }

  #find(
    what: Finding["what"],
    kind: Kind,
    { source, key, at }: Pick<LedgerRow, "source" | "key" | "at">,
    columns: string[],
    detail: string,
  ): void {
    this.#report.findingsInAll += 1;
    if (this.#report.findings.length >= LISTED_LIMIT) return;
    this.#report.findings.push({ what, source, kind: kind.name, key, at, columns, detail });
  }
}

/** Whether a row without a leaf is one that the next reading takes in. */
function isPending(row: LedgerRow, reading: Reading | null): boolean {
  if (reading === null) return true;
  const { place, high, marks } = reading;
  if (place !== null && (place.from === "-infinity" || row.at >= place.from)) return true;
  const isNew = ((row.writer - (high % 2 ** 32)) | 0) >= 0;
  const base = marks.findLast(({ next }) => next <= high) ?? marks[0];
  return isNew && base !== undefined && row.at >= earlier(base.at);
}
