import { sql } from "kysely";
import { unknownKeptSince } from "../confirm/queue/change-confirmations.ts";
import { nullable, type RowOf, returned, VaryingStatement } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { isOwnVerdict } from "../receive/log/own-verdict.ts";
import { conditionOf, EVERY_FILTER, hasVerdict, type Selection } from "./filter-conditions.ts";
import type { ReplayFilters } from "./replay.ts";

const takesRefused = ({ refused, verdict }: ReplayFilters) => refused === true || verdict === "refused";

/** Erased callbacks are excluded: they have no body to read. */
const matchCallbacks = (filters: ReplayFilters) => sql`
  from callback as c
  where c.erased_at is null
    and ${takesRefused(filters) ? sql`true` : sql`c.verdict is distinct from 'refused'`}
    and ${conditionOf(filters, {
      from: (time) => sql`c.received_at >= ${time}`,
      to: (time) => sql`c.received_at < ${time}`,
      invoiceIds: (ids) => sql`
        (c.invoice_ids[1] = any(${ids}::uuid[])
          or (cardinality(c.invoice_ids) > 1 and c.invoice_ids && ${ids}::uuid[]))`,
      callbackIds: (ids) => sql`c.id = any(${ids}::uuid[])`,
      collection: (name) => sql`
        exists (select from invoice where invoice.source = c.source and invoice.id = any(c.invoice_ids)
          and invoice.collection_name = ${name})`,
      verdict: (verdict) =>
        isOwnVerdict(verdict)
          ? sql`c.verdict = ${verdict}`
          : sql`exists (select from confirmation where confirmation.invoice_id = any(c.invoice_ids)
              and confirmation.source = c.source and ${hasVerdict(verdict)})`,
      source: (source) => sql`c.source = ${source}`,
    })}`;

const OTHER_VERDICT: ReplayFilters = { verdict: "refused" };

const selectCallbackCount = new VaryingStatement(
  { count: returned.count },
  (filters: ReplayFilters) => sql`select count(*) as count ${matchCallbacks(filters)}`,
  [{}, EVERY_FILTER, OTHER_VERDICT],
);

export const countCallbacks = async (db: Database, given: { filters: ReplayFilters }): Promise<number> =>
  (await selectCallbackCount.execute(db, given.filters))[0]?.count ?? 0;

/**
 * Whether the confirmation of an id, found when its callback came in, may have been deleted as unknown.
 */
const mayBeForgotten = ({ invoiceIds = [] }: ReplayFilters) => sql<boolean>`
  (selected.verdict is null and found = any(selected.invoice_ids)
    and selected.received_at < ${unknownKeptSince}
    and found <> all(${invoiceIds}::uuid[]))`;

const SELECTED = {
  id: returned.uuid,
  receivedAt: returned.time,
  /** The same, to the microsecond, for the position. */
  at: returned.text(),
  source: returned.text(),
  method: returned.text(),
  query: returned.text(),
  reference: nullable(returned.text()),
  headers: returned.json<[name: string, value: string][]>(),
  body: returned.bytes,
  verdict: nullable(returned.text()),
  /** Ids found when it came in and by earlier replays; for a refused callback only by replays. */
  foundIds: returned.uuids,
  /**
   * Those that have a confirmation of this source; also, unless the filter names them, ids of a callback so
   * old that their confirmations may have been deleted as unknown.
   */
  openedIds: returned.uuids,
};

export type SelectedCallback = RowOf<typeof SELECTED>;

const select = ({ filters, after, most }: Selection) => {
  const later =
    after === null
      ? sql`true`
      : sql`(c.received_at, c.id) > (${after.at ?? "-infinity"}::timestamptz, ${after.id}::uuid)`;
  return sql`
    with selected as (
      select c.*,
        case when c.verdict = 'refused' then '{}'::uuid[] else c.invoice_ids end || coalesce((
          select array_agg(found) from callback_reading as reading, unnest(reading.invoice_ids) as found
          where reading.callback_id = c.id), '{}'::uuid[]) as found_ids
      ${matchCallbacks(filters)} and ${later}
      order by c.received_at, c.id limit ${most})
    select id, received_at as "receivedAt", received_at::text as at, source, method, query, reference,
      headers, body, verdict, found_ids as "foundIds",
      array(
        select found from unnest(found_ids) as found
        where ${mayBeForgotten(filters)} or exists (
          select from confirmation
          where confirmation.source = selected.source and confirmation.invoice_id = found)
      ) as "openedIds"
    from selected order by received_at, id`;
};

/** In the order received. */
export const selectCallbacks = new VaryingStatement(SELECTED, select, [
  { filters: {}, after: null, most: 1 },
  { filters: EVERY_FILTER, after: { id: "" }, most: 1 },
  { filters: OTHER_VERDICT, after: null, most: 1 },
]);
