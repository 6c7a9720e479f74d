import { type RawBuilder, sql } from "kysely";
import {
  type Database,
  inKeyOrder,
  nullable,
  query,
  returned,
  type Slots,
  Statement,
  type Tables,
} from "../database/index.ts";

type HistoryKind = Tables["history_entry"]["kind"];

/**
 * An invoice keeps the first entries of each kind: neither an outage nor a flood of callbacks makes the table grow
 * without end (bounded, G8).
 */
const ENTRY_LIMIT = sql.lit(50);

/** A condition: one more entry of this kind fits. @param invoiceId an expression. */
export const hasRoom = (invoiceId: RawBuilder<unknown>, kind: HistoryKind): RawBuilder<boolean> => sql`
  (select count(*) from history_entry as noted
    where noted.invoice_id = ${invoiceId} and noted.kind = ${sql.lit(kind)}) < ${ENTRY_LIMIT}`;

/** A condition: a verdict of this source is noted already; the first one of each stays where it was. */
export const isNotedVerdict = (
  invoiceId: RawBuilder<unknown>,
  source: RawBuilder<unknown>,
  verdict: RawBuilder<unknown>,
): RawBuilder<boolean> => sql`
  (select noted.id from history_entry as noted
    where noted.invoice_id = ${invoiceId} and noted.kind = 'verdict' and noted.source = ${source}
      and noted.detail = ${verdict} limit 1) is not null`;

/**
 * Notes entries, as part of the statement that makes the change.
 * @param entries yields invoice_id, source, at, kind and detail.
 */
export const insertHistory = (entries: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into history_entry (invoice_id, source, at, kind, detail) ${entries}`;

interface HistoryEntry {
  at: Date;
  source: string;
  kind: HistoryKind;
  detail: string;
}

const selectHistory = query((db, invoiceId: string, most: number) =>
  db
    .selectFrom("history_entry")
    .select(["at", "source", "kind", "detail"])
    .where("invoice_id", "=", invoiceId)
    .orderBy("id")
    .limit(most),
);

/** The first failures and verdicts of an invoice. */
export const readHistory = async (db: Database, invoiceId: string, most: number) =>
  (await selectHistory(db, invoiceId, most).execute()) satisfies HistoryEntry[];

const AT_ONCE = 5_000;

// By id, not by time: only the first ones are read, however many are kept.
const deleteHistory = new Statement(
  { walked: returned.count, dropped: returned.count, last: nullable(returned.count) },
  ({ value }: Slots<{ before: Date; after: number }>) => sql`
    with walked as materialized (
      select id, at from history_entry where id > ${value(({ after }) => after)}::bigint
      order by id limit ${sql.lit(AT_ONCE)}),
    dropped as (
      delete from history_entry
      where id = any(array(select id from walked where at < ${value(({ before }) => before)}::timestamptz))
      returning 1)
    select (select count(*) from walked) as walked, (select count(*) from dropped) as dropped,
      (select max(id) from walked) as last`,
);

/** Drops older entries, from the first one on, until it meets some that are all younger. */
export async function dropHistory(db: Database, before: Date): Promise<void> {
  for (let after = 0; ; ) {
    const [row] = await inKeyOrder(db, (trx) => deleteHistory.execute(trx, { before, after }));
    if (row === undefined || row.dropped === 0 || row.walked < AT_ONCE) return;
    after = row.last ?? after;
  }
}
