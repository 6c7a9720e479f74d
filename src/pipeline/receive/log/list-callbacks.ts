import { type RawBuilder, sql } from "kysely";
import type { FailedCheck } from "../../../platform/config/index.ts";
import {
  type Database,
  nullable,
  type Page,
  type PagePosition,
  type PageWanted,
  pageOfRows,
  query,
  type RowOf,
  returned,
  type Slots,
  Statement,
  VaryingStatement,
} from "../../../platform/database/index.ts";
import type { OwnVerdict } from "./callback-log.ts";

export interface CallbackFilters {
  source?: string | undefined;
  /** The callback's own: one that has it asks about no invoice. */
  verdict?: OwnVerdict | undefined;
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

interface Listing {
  filters: CallbackFilters;
  after: PagePosition | null;
  limit: number;
}

const EVERY_FILTER: Required<CallbackFilters> = {
  ...{ source: "", verdict: "ping", reference: "", invoiceId: "", from: "", to: "" },
};

const selectPage = new VaryingStatement(
  { ...LISTED, at: returned.text() },
  ({ filters, after, limit }: Listing) => {
    const { invoiceId, source, reference, verdict, from, to } = filters;
    const conditions = [sql`true`];
    for (const [column, value] of Object.entries({ source, reference, verdict }))
      if (value !== undefined) conditions.push(sql`${sql.ref(column)} = ${value}`);
    if (from !== undefined) conditions.push(sql`received_at >= ${from}::timestamptz`);
    if (to !== undefined) conditions.push(sql`received_at < ${to}::timestamptz`);
    if (after !== null)
      conditions.push(sql`(received_at, id) < (${after.at}::timestamptz, ${after.id}::uuid)`);
    return sql`
      select ${listed}, received_at::text as at
      from ${invoiceId === undefined ? sql`callback` : callbacksThatName(sql`${invoiceId}`)}
      where ${sql.join(conditions, sql` and `)} order by received_at desc, id desc limit ${limit}`;
  },
  [
    { filters: {}, after: null, limit: 1 },
    { filters: EVERY_FILTER, after: { at: "", id: "", source: "" }, limit: 1 },
  ],
);

/** A page of those that match all filters, the newest first. */
export async function listCallbacks(
  db: Database,
  filters: CallbackFilters,
  { from: after, limit }: PageWanted,
): Promise<Page<ListedCallback>> {
  const rows = await selectPage.execute(db, { filters, after, limit: limit + 1 });
  return pageOfRows(rows, limit, ({ id }) => id);
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

/** The time inside a callback's id: it says in which partition the callback stands. */
export const receivedAt = (id: string): Date =>
  new Date(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));

/** @param id a UUIDv7: its time says in which partition it stands. @returns null when there is none. */
export async function readCallbackWhole(db: Database, id: string): Promise<WholeCallback | null> {
  const [row] = await selectWhole.execute(db, { id });
  return row ?? null;
}

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

const selectLast = query((db) =>
  db.selectFrom("callback").select("received_at as at").orderBy("received_at", "desc").limit(1),
);

/** When the newest callback in the log was received; null when it is empty. */
export const lastCallbackAt = async (db: Database): Promise<Date | null> =>
  (await selectLast(db).executeTakeFirst())?.at ?? null;
