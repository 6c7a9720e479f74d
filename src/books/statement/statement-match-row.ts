import { type Selectable, sql } from "kysely";
import { type Slots, Statement } from "../../database/statement.ts";
import type { Database, Tables } from "../../database/tables.ts";
import type { Money } from "../../provider/provider.ts";
import { keyOfSum, type Match, type MatchState } from "./matching.ts";
import type { Mapping } from "./statement-columns.ts";

/** What the matches of one state come to. */
export interface StateFigures {
  state: MatchState;
  /** Of the statement. */
  lines: number;
  lineAmount: Money;
  /** Of the books, and the payments in them. */
  sums: number;
  payments: number;
  sumAmount: Money;
}

export interface MatchFigures {
  /** Those that there are, in the order of `STATES`. */
  states: StateFigures[];
  /** Lines that are no settlements: what went out, and what has not the text of `only`. */
  others: { count: number; amount: Money };
  /** Lines without a date or without any amount, such as totals and balances. */
  undated: number;
  /** Lines outside of the period that was asked for. */
  outside: number;
  /** Payments whose settleable amount the provider does not say: they are in no sum. */
  withoutAmount: number;
}

/** A statement that was matched, without the matches themselves. */
export interface StatementMatch {
  id: string;
  madeAt: Date;
  /** `cli:<user>` or `admin:<token's name>`. */
  madeBy: string;
  source: string;
  /** The collection that it was matched with alone; null: all of the source's. */
  collection: string | null;
  /** Days of the bank, both included, YYYY-MM-DD. */
  from: string;
  to: string;
  timeZone: string;
  currency: string;
  fileName: string;
  /** In hex. */
  fileSha256: string;
  /** Of what came of it: the same when all of it is. */
  resultSha256: string;
  mapping: Mapping;
  /** null: as each collection's frequency says. */
  days: number | null;
  keepDuplicates: boolean;
  /** Nothing is left to be explained. What is in transit is explained: the statement ends before it is due. */
  clean: boolean;
  figures: MatchFigures;
}

/** A line as it is kept: without its texts, which may name people. */
export type KeptMatch = Omit<Match, "lines" | "sums"> & {
  lines: Pick<Match["lines"][number], "line" | "day" | "amount">[];
  sums: Omit<Match["sums"][number], "reference">[];
};

/** How an item is named: by its place in the result, from 1. */
export type MatchItem = KeptMatch & { position: number };

const insertItems = new Statement(
  {},
  ({ value }: Slots<{ id: string; from: number; items: string }>) => sql`
    insert into statement_match_item (match_id, position, state, item)
    select ${value(({ id }) => id)}, ${value(({ from }) => from)}::integer + place, item ->> 'state', item
    from json_array_elements(${value(({ items }) => items)}::json) with ordinality as given (item, place)`,
);

/**
 * Keeps what came of a statement, in the transaction of the caller.
 * @param items JSON arrays of `KeptMatch`, all but the last of them equally long.
 */
export async function insertStatementMatch(
  trx: Database,
  made: Omit<StatementMatch, "madeAt">,
  items: AsyncIterable<string> | Iterable<string>,
  itemsAtOnce: number,
): Promise<Date> {
  const { made_at: madeAt } = await trx
    .insertInto("statement_match")
    .values({
      id: made.id,
      made_by: made.madeBy,
      source: made.source,
      collection: made.collection,
      first_day: made.from,
      last_day: made.to,
      time_zone: made.timeZone,
      currency: made.currency,
      file_name: made.fileName,
      file_sha256: made.fileSha256,
      result_sha256: made.resultSha256,
      mapping: JSON.stringify(made.mapping),
      settle_days: made.days,
      keep_duplicates: made.keepDuplicates,
      clean: made.clean,
      figures: JSON.stringify(made.figures),
    })
    .returning("made_at")
    .executeTakeFirstOrThrow();
  let from = 0;
  for await (const some of items) {
    await insertItems.execute(trx, { id: made.id, from, items: some });
    from += itemsAtOnce;
  }
  return madeAt;
}

const COLUMNS = [
  "id",
  "made_at",
  "made_by",
  "source",
  "collection",
  "first_day",
  "last_day",
  "time_zone",
  "currency",
  "file_name",
  "file_sha256",
  "result_sha256",
  "mapping",
  "settle_days",
  "keep_duplicates",
  "clean",
  "figures",
] as const;

const shown = (
  row: Pick<Selectable<Tables["statement_match"]>, (typeof COLUMNS)[number]>,
): StatementMatch => ({
  id: row.id,
  madeAt: row.made_at,
  madeBy: row.made_by,
  source: row.source,
  collection: row.collection,
  from: row.first_day,
  to: row.last_day,
  timeZone: row.time_zone,
  currency: row.currency,
  fileName: row.file_name,
  fileSha256: row.file_sha256,
  resultSha256: row.result_sha256,
  mapping: row.mapping as Mapping,
  days: row.settle_days,
  keepDuplicates: row.keep_duplicates,
  clean: row.clean,
  figures: row.figures as MatchFigures,
});

export interface MatchFilters {
  source?: string | undefined;
  /** Only those of this very file. */
  fileSha256?: string | undefined;
}

/** The newest first. */
export async function listStatementMatches(
  db: Database,
  { source, fileSha256 }: MatchFilters,
  limit: number,
): Promise<StatementMatch[]> {
  let query = db
    .selectFrom("statement_match")
    .select(COLUMNS)
    .orderBy("made_at", "desc")
    .orderBy("id", "desc")
    .limit(limit);
  if (source !== undefined) query = query.where("source", "=", source);
  if (fileSha256 !== undefined) query = query.where("file_sha256", "=", fileSha256);
  return (await query.execute()).map(shown);
}

/** @returns null when there is none with this id. */
export async function readStatementMatch(db: Database, id: string): Promise<StatementMatch | null> {
  const row = await db.selectFrom("statement_match").select(COLUMNS).where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : shown(row);
}

/** A page of its items, in order. @param states only those in one of these; all when left out. */
export async function readMatchItems(
  db: Database,
  id: string,
  { after, limit, states }: { after: number; limit: number; states?: readonly MatchState[] | undefined },
): Promise<MatchItem[]> {
  let query = db
    .selectFrom("statement_match_item")
    .select(["position", "item"])
    .where("match_id", "=", id)
    .where("position", ">", after)
    .orderBy("position")
    .limit(limit);
  if (states !== undefined) query = query.where("state", "in", states);
  const rows = await query.execute();
  return rows.map(({ position, item }) => ({ ...(item as KeptMatch), position }));
}

/**
 * What the statement that ends on this day left in transit, by `keyOfSum`: what else was paid by then was looked for
 * in it. @returns null when no such statement was matched.
 */
export async function readCarried(
  db: Database,
  { source, collection, to }: { source: string; collection: string | null; to: string },
): Promise<ReadonlySet<string> | null> {
  const before = await db
    .selectFrom("statement_match")
    .select("id")
    .where("source", "=", source)
    .where("collection", "is not distinct from", collection)
    .where("last_day", "=", to)
    .orderBy("made_at", "desc")
    .executeTakeFirst();
  if (before === undefined) return null;
  const carried = new Set<string>();
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: MatchItem[] = await readMatchItems(db, before.id, {
      after,
      limit: 1_000,
      states: ["in_transit"],
    });
    for (const { sums } of page) for (const sum of sums) carried.add(keyOfSum(sum));
    after = page.at(-1)?.position;
  }
  return carried;
}

/** How statements of a source were read, the newest first. */
export async function rememberedMappings(db: Database, source: string): Promise<Mapping[]> {
  const rows = await db
    .selectFrom("statement_match")
    .select("mapping")
    .where("source", "=", source)
    .orderBy("made_at", "desc")
    .limit(REMEMBERED)
    .execute();
  return rows.map(({ mapping }) => mapping as Mapping);
}

const REMEMBERED = 100;

/**
 * The newest match that covers all of these days for all of the source: one statement of the whole source or, where
 * each collection has an account of its own, the newest of every collection that had payments in these days.
 * @returns none when there is none, or a collection's is missing.
 */
export async function newestMatchesOf(
  db: Database,
  source: string,
  { from, to, collections }: { from: string; to: string; collections: readonly (string | null)[] },
): Promise<StatementMatch[]> {
  const rows = await db
    .selectFrom("statement_match")
    .select(COLUMNS)
    .distinctOn("collection")
    .where("source", "=", source)
    .where("first_day", "<=", from)
    .where("last_day", ">=", to)
    .orderBy("collection")
    .orderBy("made_at", "desc")
    .execute();
  const matches = rows.map(shown).toSorted((one, other) => other.madeAt.getTime() - one.madeAt.getTime());
  const whole = matches.find(({ collection }) => collection === null);
  const single = matches.filter(({ collection }) => collection !== null);
  const matched = new Set(single.map(({ collection }) => collection));
  const isNewer = single[0] !== undefined && (whole === undefined || single[0].madeAt > whole.madeAt);
  if (isNewer && collections.every((collection) => matched.has(collection))) return single;
  return whole === undefined ? [] : [whole];
}
