import { sql } from "kysely";
import { z } from "zod";
import { typed } from "../../database/expressions.ts";
import { returned, type Slots, Statement } from "../../database/statement.ts";
import type { Database } from "../../database/tables.ts";
import { answeredId, decimal, time, whole } from "../../kit/answer-fields.ts";
import { bookDay } from "../../kit/book-days.ts";
import type { BookSource } from "../book-source.ts";
import { ITEMS_AT_ONCE, keyOfSum, type MatchState, STATES } from "./matching.ts";
import { type Mapping, mapping } from "./statement-columns.ts";

const state = z.enum(STATES);

/** A statement that was matched, without the matches themselves. */
export const statementMatch = z.object({
  id: answeredId,
  madeAt: time,
  /** `cli:<user>` or `admin:<token's name>`. */
  madeBy: z.string(),
  source: z.string(),
  collection: z.string().nullable().describe("null: all of the source's."),
  /** Days of the bank, both included, YYYY-MM-DD. */
  from: z.string(),
  to: z.string(),
  timeZone: z.string(),
  currency: z.string(),
  fileName: z.string(),
  /** In hex. */
  fileSha256: z.string(),
  resultSha256: z.string().describe("The same when all that came of it is."),
  mapping,
  /** null: as each collection's frequency says. */
  days: whole.nullable(),
  keepDuplicates: z.boolean(),
  clean: z.boolean().describe("Nothing is left over; what is in transit is not due yet."),
  figures: z.object({
    /** Those that there are, in the order of `STATES`: lines of the statement, and sums of the books. */
    states: z.array(
      z.object({
        state,
        lines: whole,
        lineAmount: decimal,
        sums: whole,
        payments: whole,
        sumAmount: decimal,
      }),
    ),
    others: z
      .object({ count: whole, amount: decimal })
      .describe("Lines that are not settlements: what went out, and what has not the text of `only`."),
    undated: whole.describe("Lines without a date or without any amount, such as totals."),
    undatedLines: z.array(whole).optional().describe("The first ten of them; older matches have none."),
    outside: whole.describe("Lines outside of the period."),
    withoutAmount: whole.describe("Payments whose settleable amount the provider does not say."),
  }),
});
export type StatementMatch = z.output<typeof statementMatch>;
export type StateFigures = StatementMatch["figures"]["states"][number];

/** A line as it is kept: without its texts, which may name people. */
export const keptLine = z.object({
  line: whole.describe("Of the file, from 1."),
  day: z.string(),
  amount: decimal,
});

/** What came of some lines and sums, as it is kept. */
export const keptMatch = z.object({
  state,
  why: z.string(),
  difference: decimal.describe("What came in, less what was to be settled."),
  lines: z.array(keptLine),
  /** Without the merchant's references. */
  sums: z.array(
    z.object({
      collection: z.string(),
      frequency: z.string().describe("As the provider's answers say it: Instant, Daily."),
      day: z.string().describe("Of payment."),
      amount: decimal.describe("Settleable."),
      payments: whole,
      invoiceId: answeredId.nullable().describe("null when it is a day's."),
    }),
  ),
});
export type KeptMatch = z.output<typeof keptMatch>;

/** How an item is named: by its place in the result, from 1. */
export const matchItem = keptMatch.extend({ position: whole });
export type MatchItem = z.output<typeof matchItem>;

const insertItems = new Statement(
  {},
  ({ value }: Slots<{ id: string; from: number; items: string }>) => sql`
    insert into statement_match_item (match_id, position, state, item)
    select ${value(({ id }) => id)}, ${value(({ from }) => from)}::integer + place, item ->> 'state', item
    from json_array_elements(${value(({ items }) => items)}::json) with ordinality as given (item, place)`,
);

/**
 * Keeps what came of a statement, in the transaction of the caller.
 * @param items JSON arrays of `KeptMatch`, all but the last of `ITEMS_AT_ONCE`.
 */
export async function insertStatementMatch(
  trx: Database,
  made: Omit<StatementMatch, "madeAt">,
  items: AsyncIterable<string> | Iterable<string>,
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
    from += ITEMS_AT_ONCE;
  }
  return madeAt;
}

const COLUMNS = [
  "id",
  "made_at as madeAt",
  "made_by as madeBy",
  "source",
  "collection",
  "first_day as from",
  "last_day as to",
  "time_zone as timeZone",
  "currency",
  "file_name as fileName",
  "file_sha256 as fileSha256",
  "result_sha256 as resultSha256",
  typed(returned.json<Mapping>(), sql`mapping`).as("mapping"),
  "settle_days as days",
  "keep_duplicates as keepDuplicates",
  "clean",
  typed(returned.json<StatementMatch["figures"]>(), sql`figures`).as("figures"),
] as const;

/** The newest first. */
export async function listStatementMatches(
  db: Database,
  { id, source, fileSha256 }: { id?: string; source?: string | undefined; fileSha256?: string },
  limit: number,
): Promise<StatementMatch[]> {
  let query = db
    .selectFrom("statement_match")
    .select(COLUMNS)
    .orderBy("made_at", "desc")
    .orderBy("id", "desc")
    .limit(limit);
  if (id !== undefined) query = query.where("id", "=", id);
  if (source !== undefined) query = query.where("source", "=", source);
  if (fileSha256 !== undefined) query = query.where("file_sha256", "=", fileSha256);
  return await query.execute();
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

/** All of them, page by page. */
export async function* matchItemPages(
  db: Database,
  id: string,
  { limit = 1_000, states }: { limit?: number; states?: readonly MatchState[] } = {},
): AsyncGenerator<MatchItem[], void, undefined> {
  for (let after = 0; ; ) {
    const page = await readMatchItems(db, id, { after, limit, states });
    yield page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.position;
  }
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
  for await (const page of matchItemPages(db, before.id, { states: ["in_transit"] }))
    for (const { sums } of page) for (const sum of sums) carried.add(keyOfSum(sum));
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
 * each collection has an account of its own, the newest of every collection that had payments in these days. What was
 * matched before they were over, or in another currency, says nothing of them.
 * @returns none when there is none, or a collection's is missing.
 */
export async function newestMatchesOf(
  db: Database,
  source: BookSource,
  { from, to, collections }: { from: string; to: string; collections: readonly (string | null)[] },
): Promise<StatementMatch[]> {
  const rows = await db
    .selectFrom("statement_match")
    .select(COLUMNS)
    .distinctOn("collection")
    .where("source", "=", source.name)
    .where("currency", "=", source.currency)
    .where("first_day", "<=", from)
    .where("last_day", ">=", to)
    .where("made_at", ">=", bookDay(to, source.zone).to)
    .orderBy("collection")
    .orderBy("made_at", "desc")
    .execute();
  const matches = rows.toSorted((one, other) => other.madeAt.getTime() - one.madeAt.getTime());
  const whole = matches.find(({ collection }) => collection === null);
  const single = matches.filter(({ collection }) => collection !== null);
  const matched = new Set(single.map(({ collection }) => collection));
  const isNewer = single[0] !== undefined && (whole === undefined || single[0].madeAt > whole.madeAt);
  if (isNewer && collections.every((collection) => matched.has(collection))) return single;
  return whole === undefined ? [] : [whole];
}
