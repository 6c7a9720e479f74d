import { type RawBuilder, sql } from "kysely";
import type { FailedCheck } from "../../../platform/config/index.ts";
import {
  type Database,
  LOOKED_AT,
  nullable,
  type PagePosition,
  type PageSlice,
  query,
  type RowOf,
  returned,
  type Slots,
  Statement,
  sliceOf,
  VaryingStatement,
} from "../../../platform/database/index.ts";
import type { IdRange } from "../../../platform/values/index.ts";
import type { OwnVerdict } from "./callback-log.ts";

export interface CallbackFilters {
  source?: string | undefined;
  /** The callback's own: one that has it asks about no invoice. */
  verdict?: OwnVerdict | undefined;
  foundBy?: string | undefined;
  remoteAddress?: string | undefined;
  /** The merchant's, from the URL. */
  reference?: string | undefined;
  invoiceId?: string | undefined;
  /** ISO 8601, inclusive. */
  from?: string | undefined;
  /** ISO 8601, exclusive. */
  to?: string | undefined;
}

const LISTED = {
  id: returned.uuid,
  receivedAt: returned.time,
  source: returned.text(),
  method: returned.text(),
  /** The token masked. */
  path: returned.text(),
  reference: nullable(returned.text()),
  remoteAddress: nullable(returned.text()),
  foundBy: nullable(returned.text()),
  verdict: nullable(returned.text<OwnVerdict>()),
  /** The check of its source that a refused one failed. */
  failedCheck: nullable(returned.text<FailedCheck>()),
  invoiceIds: returned.uuids,
  erasedAt: nullable(returned.time),
  /** As it was sent; null once it was erased. */
  bytes: nullable(returned.integer),
};

/** A callback as a list shows it: without its query, headers and body. */
export type ListedCallback = RowOf<typeof LISTED>;

/** How long the body was as it was sent; null once it was erased. */
const sentBytes = sql`
  case when erased_at is null then octet_length(body) end`;

const listed = sql`
  id, received_at as "receivedAt", source, method, path, reference, remote_address as "remoteAddress",
  found_by as "foundBy", verdict, failed_check as "failedCheck", invoice_ids as "invoiceIds", erased_at as "erasedAt",
  ${sentBytes} as bytes`;

/** The callbacks that name the invoice; each half has an index of its own. */
export const callbacksThatName = (invoiceId: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  (select * from callback where invoice_ids[1] = ${invoiceId}
    union all
    select * from callback where cardinality(invoice_ids) > 1
      and invoice_ids @> array[${invoiceId}]::uuid[] and invoice_ids[1] <> ${invoiceId}) as callback`;

interface Walk {
  filters: CallbackFilters;
  after: PagePosition | null;
  limit: number;
}

const EVERY_FILTER: Required<CallbackFilters> = {
  source: "",
  verdict: "ping",
  foundBy: "",
  remoteAddress: "",
  reference: "",
  invoiceId: "",
  from: "",
  to: "",
};

const selectPage = new VaryingStatement(
  { ...LISTED, ...LOOKED_AT },
  ({ filters, after, limit }: Walk) => {
    const { invoiceId, verdict, from, to } = filters;
    const looked = [sql`true`];
    if (verdict !== undefined) looked.push(sql`verdict = ${verdict}`);
    if (from !== undefined) looked.push(sql`received_at >= ${from}::timestamptz`);
    if (to !== undefined) looked.push(sql`received_at < ${to}::timestamptz`);
    if (after !== null) looked.push(sql`(received_at, id) < (${after.at}::timestamptz, ${after.id}::uuid)`);
    // Filters that an index serves bound the rows that are read; the others are compared row by row.
    return sql`
      select * from (
        select ${listed}, received_at::text as at,
          row_number() over (order by received_at desc, id desc) as place, ${compared(filters)} as matches
        from (
          select * from ${invoiceId === undefined ? sql`callback` : callbacksThatName(sql`${invoiceId}`)}
          where ${sql.join(looked, sql` and `)}
          order by received_at desc, id desc limit ${limit}) as looked) as decided
      where matches or place = ${limit} order by place`;
  },
  [
    { filters: {}, after: null, limit: 1 },
    { filters: EVERY_FILTER, after: { at: "", id: "", source: "" }, limit: 1 },
  ],
);

/**
 * Reads the next `limit` callbacks, the newest first.
 * @param after where to continue; null from the newest.
 * @returns those that match all filters, and where to continue; `end` is null when there are no more.
 */
export async function listCallbacks(
  db: Database,
  filters: CallbackFilters,
  after: PagePosition | null,
  limit: number,
): Promise<PageSlice<ListedCallback>> {
  return sliceOf(await selectPage.execute(db, { filters, after, limit }), limit, ({ id }) => id);
}

function compared({ source, foundBy: found_by, remoteAddress: remote_address, reference }: CallbackFilters) {
  const wanted = Object.entries({ source, found_by, remote_address, reference });
  const held = wanted.flatMap(([column, value]) =>
    value === undefined ? [] : [sql`coalesce(${sql.ref(column)} = ${value}, false)`],
  );
  return sql.join([sql`true`, ...held], sql` and `);
}

const WHOLE = {
  ...LISTED,
  query: returned.text(),
  /** Secrets masked. */
  headers: returned.json<[name: string, value: string][]>(),
  body: returned.bytes,
  /** SHA-256 in hex of the body that was erased. */
  erasedDigest: nullable(returned.text()),
};

/** A callback with everything that came. */
export type WholeCallback = RowOf<typeof WHOLE>;

const whole = sql`${listed}, query, headers, body, erased_digest as "erasedDigest"`;

const selectWhole = new Statement(
  WHOLE,
  ({ value }: Slots<{ id: string }>) => sql`
    select ${whole} from callback
    where received_at = ${value(({ id }) => receivedAt(id))} and id = ${value(({ id }) => id)}`,
);

const countByMinute = new Statement(
  { at: returned.time, count: returned.count },
  ({ value }: Slots<{ from: Date; to: Date }>) => sql`
    select date_trunc('minute', received_at) as at, count(*) as count from callback
    where received_at >= ${value(({ from }) => from)} and received_at < ${value(({ to }) => to)} group by 1`,
);

/** The time inside a callback's id: it says in which partition the callback stands. */
export const receivedAt = (id: string): Date =>
  new Date(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));

/** @param id a UUIDv7: its time says in which partition it stands. @returns null when there is none. */
export async function readCallbackWhole(db: Database, id: string): Promise<WholeCallback | null> {
  const [row] = await selectWhole.execute(db, { id });
  return row ?? null;
}

/** How many came in, by the minute's beginning in ms; minutes without any are left out. */
export async function callbacksByMinute(db: Database, from: Date, to: Date): Promise<Map<number, number>> {
  const rows = await countByMinute.execute(db, { from, to });
  return new Map(rows.map(({ at, count }) => [at.getTime(), count]));
}

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

/** The first callbacks that named an invoice, of any source, each with how many there are. */
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

/** The invoices named by the newest callbacks that came with this reference, of any source. */
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

const selectLast = query((db) =>
  db.selectFrom("callback").select("received_at as at").orderBy("received_at", "desc").limit(1),
);

/** When the newest callback in the log was received; null when it is empty. */
export const lastCallbackAt = async (db: Database): Promise<Date | null> =>
  (await selectLast(db).executeTakeFirst())?.at ?? null;

/** A condition: a callback that named no invoice came to the source since that moment. */
export const namelessCallbackSince = (
  source: RawBuilder<unknown>,
  moment: RawBuilder<unknown>,
): RawBuilder<boolean> => sql`
  exists (select from callback
    where callback.source = ${source} and callback.verdict in ('unreadable', 'ping')
      and callback.received_at > ${moment})`;
