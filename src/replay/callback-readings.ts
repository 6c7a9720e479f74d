import { setImmediate as nextTurn } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { checkErasedAgain } from "../confirm/erase.ts";
import { type Columns, text, uuid } from "../database/columns.ts";
import { nullable, returned, type Slots, Statement } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { inKeyOrder } from "../database/transactions.ts";
import { NIL_UUID } from "../kit/ids.ts";
import { isLogged } from "../receive/log/callbacks-about.ts";
import { readCallback } from "../receive/reading/read-callback.ts";
import type { SelectedCallback } from "./select-callbacks.ts";

export interface NewReading {
  callback: SelectedCallback;
  /** Those without a confirmation: not found before, or lost since. */
  invoiceIds: string[];
  foundBy: string;
}

/** Where an id was found whose confirmation was lost, if today's reader does not find it. */
const IN_THE_LOG = "the log";

/**
 * What recorded callbacks name that should have a confirmation and has none. One in each turn of the event
 * loop: many heavy ones in a row would hold up everything else that this process does (G12).
 */
export async function findNewIds(callbacks: readonly SelectedCallback[]): Promise<NewReading[]> {
  const readings: NewReading[] = [];
  for (const callback of callbacks) {
    const reading = findNewIdsIn(callback);
    if (reading !== null) readings.push(reading);
    await nextTurn();
  }
  return readings;
}

/** Reads it as it would be read on arrival. */
function findNewIdsIn(callback: SelectedCallback): NewReading | null {
  const header = (name: string) =>
    callback.headers.findLast(([key]) => key.toLowerCase() === name)?.[1] ?? null;
  const request = {
    ...callback,
    contentType: header("content-type"),
    contentEncoding: header("content-encoding"),
  };
  const reading = readCallback(request);
  const { invoiceIds, foundBy } = reading.kind === "ids" ? reading : { invoiceIds: [], foundBy: IN_THE_LOG };
  const opened = new Set(callback.openedIds);
  const fresh = [...new Set([...callback.foundIds, ...invoiceIds])].filter((id) => !opened.has(id));
  return fresh.length === 0 ? null : { callback, invoiceIds: fresh, foundBy };
}

const READING: Columns<NewReading> = {
  callback_id: uuid(({ callback }) => callback.id),
  // As text: a Date has no microseconds.
  received_at: text(({ callback }) => callback.at),
  source: text(({ callback }) => callback.source),
  found_by: text(({ foundBy }) => foundBy),
  // As text: unnest would flatten an array of arrays.
  ids: text(({ invoiceIds }) => `{${invoiceIds.join(",")}}`),
};

const insertRows = new Statement(
  {},
  ({ table, value }: Slots<{ replayId: string; readings: readonly NewReading[] }>) => sql`
    insert into callback_reading (callback_id, replay_id, received_at, source, found_by, invoice_ids)
    select callback_id, ${value(({ replayId }) => replayId)}, received_at::timestamptz, source, found_by,
      ids::uuid[]
    from ${table("reading", READING, ({ readings }) => readings)}`,
);

/** Stores what a replay found in callbacks; in a table of its own, because the log is insert-only. */
export async function insertReadings(
  db: Database,
  replay: { id: string },
  readings: readonly NewReading[],
): Promise<void> {
  await insertRows.execute(db, { replayId: replay.id, readings });
  await checkErasedAgain(
    db,
    readings.flatMap(({ invoiceIds }) => invoiceIds),
  );
}

export async function listReadings(
  db: Database,
  callbackId: string,
): Promise<{ replayId: string; readAt: Date; foundBy: string; invoiceIds: string[] }[]> {
  return await db
    .selectFrom("callback_reading")
    .select(["replay_id as replayId", "read_at as readAt", "found_by as foundBy"])
    .select("invoice_ids as invoiceIds")
    .where("callback_id", "=", callbackId)
    .orderBy("read_at")
    .execute();
}

/** A query: `received_at` and `callback_id` of the callbacks in which a replay found the invoice. */
export const readingsAbout = (invoiceId: string): RawBuilder<unknown> => sql`
  select received_at, callback_id from callback_reading where invoice_ids @> array[${invoiceId}::uuid]`;

const AT_ONCE = 5_000;

const deleteBefore = new Statement(
  {
    walked: returned.count,
    old: returned.count,
    callbackId: nullable(returned.uuid),
    replayId: nullable(returned.uuid),
  },
  ({ value }: Slots<{ before: Date; after: { callbackId: string; replayId: string } }>) => {
    const before = sql`${value((given) => given.before)}::timestamptz`;
    return sql`
      with walked as materialized (
        select ctid as position, callback_id, replay_id, received_at from callback_reading
        where (callback_id, replay_id)
          > (${value(({ after }) => after.callbackId)}::uuid, ${value(({ after }) => after.replayId)}::uuid)
        order by callback_id, replay_id limit ${sql.lit(AT_ONCE)}),
      leaving as materialized (
        select position from walked
        where received_at < ${before} and not ${isLogged(sql`walked.received_at`, sql`walked.callback_id`)}),
      deleted as (
        delete from callback_reading where ctid = any(array(select position from leaving)))
      select (select count(*) from walked) as walked,
        (select count(*) from walked where received_at < ${before}) as old,
        last.callback_id as "callbackId", last.replay_id as "replayId"
      from (select 1) as always left join (
        select callback_id, replay_id from walked
        order by callback_id desc, replay_id desc limit 1) as last on true`;
  },
);

/**
 * Deletes the readings of callbacks received before this time, unless the log still holds the callback. A
 * callback's id begins with its time, so the oldest come first.
 */
export async function deleteReadings(db: Database, before: Date): Promise<void> {
  for (let after = { callbackId: NIL_UUID, replayId: NIL_UUID }; ; ) {
    const [row] = await inKeyOrder(db, (trx) => deleteBefore.execute(trx, { before, after }));
    if (row === undefined || row.old === 0 || row.walked < AT_ONCE) return;
    after = { callbackId: row.callbackId ?? NIL_UUID, replayId: row.replayId ?? NIL_UUID };
  }
}
