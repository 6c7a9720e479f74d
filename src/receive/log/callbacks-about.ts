import { type RawBuilder, sql } from "kysely";
import { nullable, returned, type Slots, Statement } from "../../database/statement.ts";
import type { Database } from "../../database/tables.ts";
import type { IdRange } from "../../kit/ids.ts";
import { callbacksThatName, receivedAt, sentBytes } from "./list-callbacks.ts";

const selectAbout = new Statement(
  { id: returned.uuid, receivedAt: returned.time, foundBy: nullable(returned.text()) },
  ({ value }: Slots<{ invoiceId: string; source: string; limit: number }>) => sql`
    select id, received_at as "receivedAt", found_by as "foundBy"
    from ${callbacksThatName(value(({ invoiceId }) => invoiceId))}
    where source = ${value(({ source }) => source)}
    order by received_at desc limit ${value(({ limit }) => limit)}`,
);

/** The newest callbacks about an invoice, without their contents. */
export const callbacksAbout = (
  db: Database,
  { invoiceId, source }: { invoiceId: string; source: string },
  limit = 5,
): Promise<{ id: string; receivedAt: Date; foundBy: string | null }[]> =>
  selectAbout.execute(db, { invoiceId, source, limit });

const selectFirst = new Statement(
  {
    at: returned.time,
    id: returned.uuid,
    source: returned.text(),
    method: returned.text(),
    remoteAddress: nullable(returned.text()),
    foundBy: nullable(returned.text()),
    verdict: nullable(returned.text()),
    bytes: nullable(returned.integer),
    total: returned.count,
  },
  ({ value }: Slots<{ invoiceId: string; limit: number }>) => sql`
    select received_at as at, id, source, method, remote_address as "remoteAddress",
      found_by as "foundBy", verdict, ${sentBytes} as bytes, count(*) over () as total
    from ${callbacksThatName(value(({ invoiceId }) => invoiceId))}
    order by received_at, id limit ${value(({ limit }) => limit)}`,
);

/** The first callbacks that named an invoice, whatever their source, each with how many there are. */
export const firstCallbacksNaming = (db: Database, invoiceId: string, limit: number) =>
  selectFirst.execute(db, { invoiceId, limit });

const selectIds = new Statement(
  { invoiceId: returned.uuid },
  ({ value }: Slots<{ reference: string; limit: number }>) => sql`
    select invoice_id as "invoiceId" from (
      select received_at, invoice_ids from callback where reference = ${value(({ reference }) => reference)}
      order by received_at desc limit ${value(({ limit }) => limit)}) as named
    cross join unnest(invoice_ids) as invoice_id
    group by 1 order by max(received_at) desc limit ${value(({ limit }) => limit)}`,
);

/** The invoices named by the newest callbacks that came with this reference, whoever confirmed them. */
export const invoicesCalledAs = async (db: Database, reference: string, limit: number) =>
  (await selectIds.execute(db, { reference, limit })).map(({ invoiceId }) => invoiceId);

const selectBeginning = new Statement(
  { id: returned.uuid, at: returned.time, source: returned.text() },
  ({ value }: Slots<IdRange & { limit: number }>) => sql`
    select id, received_at as at, source from callback
    where received_at between ${value(({ first }) => receivedAt(first))} and ${value(({ last }) => receivedAt(last))}
      and id between ${value(({ first }) => first)}::uuid and ${value(({ last }) => last)}::uuid
    order by received_at desc, id desc limit ${value(({ limit }) => limit)}`,
);

/** Up to `limit` callbacks within the range, the newest first. */
export const callbacksBeginning = (db: Database, range: IdRange, limit: number) =>
  selectBeginning.execute(db, { ...range, limit });

/** When the newest callback in the log was received; null when it is empty. */
export async function lastCallbackAt(db: Database): Promise<Date | null> {
  const row = await db
    .selectFrom("callback")
    .select("received_at as at")
    .orderBy("received_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.at ?? null;
}

/** A condition: a callback that named no invoice came to the source since that moment. */
export const namelessCallbackSince = (
  source: RawBuilder<unknown>,
  moment: RawBuilder<unknown>,
): RawBuilder<boolean> => sql`
  exists (select from callback
    where callback.source = ${source} and callback.verdict in ('unreadable', 'ping')
      and callback.received_at > ${moment})`;
