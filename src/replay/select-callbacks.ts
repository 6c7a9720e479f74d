import { type Kysely, sql } from "kysely";
import { unknownKeptSince } from "../confirmations/delete-unknown.ts";
import type { Tables } from "../database/tables.ts";
import { isOwnVerdict } from "../record/own-verdict.ts";
import { conditionOf } from "./filter-conditions.ts";
import type { Position, ReplayFilters } from "./replay.ts";

export interface SelectedCallback {
  id: string;
  receivedAt: Date;
  /** The same, to the microsecond, for the position. */
  at: string;
  source: string;
  method: string;
  query: string;
  reference: string | null;
  headers: [name: string, value: string][];
  body: Buffer;
  verdict: string | null;
  /** What was found when it came in, and by earlier replays; of a refused one, only by these. */
  foundIds: string[];
  /**
   * Those of them that are confirmed for this source, or are to be; and, unless they were named, those of a
   * callback so old that they were forgotten as unknown.
   */
  settledIds: string[];
}

const takesRefused = ({ refused, verdict }: ReplayFilters) => refused === true || verdict === "refused";

/** An erased callback has no bytes to read. */
const matching = (filters: ReplayFilters) => sql`
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
              and confirmation.source = c.source and confirmation.verdict = ${verdict})`,
      source: (source) => sql`c.source = ${source}`,
    })}`;

export async function countCallbacks(db: Kysely<Tables>, filters: ReplayFilters): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count ${matching(filters)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Whether the confirmation of an id that was found when its callback came in may have been deleted as
 * unknown.
 */
const mayBeForgotten = ({ invoiceIds = [] }: ReplayFilters) => sql<boolean>`
  (selected.verdict is null and found = any(selected.invoice_ids)
    and selected.received_at < ${unknownKeptSince}
    and found <> all(${invoiceIds}::uuid[]))`;

/** The next callbacks after a position, in the order they came. */
export async function selectCallbacks(
  db: Kysely<Tables>,
  filters: ReplayFilters,
  after: Position | null,
  most: number,
): Promise<SelectedCallback[]> {
  const later =
    after === null
      ? sql`true`
      : sql`(c.received_at, c.id) > (${after.at ?? "-infinity"}::timestamptz, ${after.id}::uuid)`;
  const { rows } = await sql<SelectedCallback>`
    with selected as (
      select c.*,
        case when c.verdict = 'refused' then '{}'::uuid[] else c.invoice_ids end || coalesce((
          select array_agg(found) from callback_reading as reading, unnest(reading.invoice_ids) as found
          where reading.callback_id = c.id), '{}'::uuid[]) as found_ids
      ${matching(filters)} and ${later}
      order by c.received_at, c.id limit ${most})
    select id, received_at as "receivedAt", received_at::text as at, source, method, query, reference,
      headers, body, verdict, found_ids as "foundIds",
      array(
        select found from unnest(found_ids) as found
        where ${mayBeForgotten(filters)} or exists (
          select from confirmation
          where confirmation.source = selected.source and confirmation.invoice_id = found)
      ) as "settledIds"
    from selected order by received_at, id`.execute(db);
  return rows;
}
