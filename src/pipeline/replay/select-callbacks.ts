import { sql } from "kysely";
import {
  type Database,
  nullable,
  type RowOf,
  returned,
  VaryingStatement,
} from "../../platform/database/index.ts";
import { unknownKeptSince } from "../confirm/index.ts";

import { isOwnVerdict } from "../receive/index.ts";
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
  /** Ids that a confirmation was opened for when it came in. */
  foundIds: returned.uuids,
  /** Those of them, unless the filter names them, whose confirmations may have been deleted as unknown. */
  forgottenIds: returned.uuids,
};

export type SelectedCallback = RowOf<typeof SELECTED>;

const select = ({ filters, after, most }: Selection) => {
  const later =
    after === null
      ? sql`true`
      : sql`(c.received_at, c.id) > (${after.at ?? "-infinity"}::timestamptz, ${after.id}::uuid)`;
  return sql`
    select c.id, c.received_at as "receivedAt", c.received_at::text as at, c.source, c.method, c.query,
      c.reference, c.headers, c.body, c.verdict,
      case when c.verdict = 'refused' then '{}'::uuid[] else c.invoice_ids end as "foundIds",
      case when c.verdict is null and c.received_at < ${unknownKeptSince}
        then array(select unnest(c.invoice_ids) except select unnest(${filters.invoiceIds ?? []}::uuid[]))
        else '{}'::uuid[] end as "forgottenIds"
    ${matchCallbacks(filters)} and ${later}
    order by c.received_at, c.id limit ${most}`;
};

/** In the order received. */
export const selectCallbacks = new VaryingStatement(SELECTED, select, [
  { filters: {}, after: null, most: 1 },
  { filters: EVERY_FILTER, after: { id: "" }, most: 1 },
  { filters: OTHER_VERDICT, after: null, most: 1 },
]);
