import { type Kysely, type RawBuilder, sql } from "kysely";
import { type Columns, text, uuid } from "../database/columns.ts";
import { type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { isLogged } from "../record/callbacks-about.ts";
import type { NewReading } from "./read-again.ts";

const READING: Columns<NewReading> = {
  callback_id: uuid(({ callback }) => callback.id),
  // As text: a Date has no microseconds.
  received_at: text(({ callback }) => callback.at),
  source: text(({ callback }) => callback.source),
  found_by: text(({ foundBy }) => foundBy),
  // As text: unnest would flatten an array of arrays.
  ids: text(({ invoiceIds }) => `{${invoiceIds.join(",")}}`),
};

interface Given {
  replayId: string;
  readings: readonly NewReading[];
}

const keeping = new Statement(
  {},
  ({ table, value }: Slots<Given>) => sql`
    insert into callback_reading (callback_id, replay_id, received_at, source, found_by, invoice_ids)
    select callback_id, ${value(({ replayId }) => replayId)}, received_at::timestamptz, source, found_by,
      ids::uuid[]
    from ${table("reading", READING, ({ readings }) => readings)}`,
);

/** Stores what a replay found in callbacks; in a table of its own, because the log is insert-only. */
export async function keepReadings(
  db: Kysely<Tables>,
  replay: { id: string },
  readings: readonly NewReading[],
): Promise<void> {
  await keeping.execute(db, { replayId: replay.id, readings });
}

/** What replays found in a callback, oldest first. */
export async function readingsOf(
  db: Kysely<Tables>,
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

/** Deletes the readings of callbacks received before this time. */
export async function deleteReadings(db: Kysely<Tables>, before: Date): Promise<void> {
  await db
    .deleteFrom("callback_reading")
    .where("received_at", "<", before)
    .where(({ not }) => not(isLogged(sql`callback_reading.received_at`, sql`callback_id`)))
    .execute();
}
