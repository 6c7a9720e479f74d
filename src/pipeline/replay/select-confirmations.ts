import { sql } from "kysely";
import { type Database, nullable, returned, VaryingStatement } from "../../platform/database/index.ts";

import { conditionOf, EVERY_FILTER, hasVerdict, type Selection } from "./filter-conditions.ts";
import type { ReplayFilters } from "./replay.ts";

const matchConfirmations = (filters: ReplayFilters) => sql`
  from confirmation
  left join invoice on invoice.source = confirmation.source and invoice.id = confirmation.invoice_id
  where ${conditionOf(filters, {
    from: (time) => sql`confirmation.requested_at >= ${time}`,
    to: (time) => sql`confirmation.requested_at < ${time}`,
    invoiceIds: (ids) => sql`confirmation.invoice_id = any(${ids}::uuid[])`,
    collection: (name) => sql`invoice.collection_name = ${name}`,
    verdict: hasVerdict,
    source: (source) => sql`confirmation.source = ${source}`,
  })}`;

const selectConfirmationCount = new VaryingStatement(
  { count: returned.count },
  (filters: ReplayFilters) => sql`select count(*) as count ${matchConfirmations(filters)}`,
  [{}, EVERY_FILTER, { verdict: "pending" }],
);

export const countConfirmations = async (db: Database, given: { filters: ReplayFilters }): Promise<number> =>
  (await selectConfirmationCount.execute(db, given.filters))[0]?.count ?? 0;

/** In invoice order. */
export const selectConfirmations = new VaryingStatement(
  {
    invoiceId: returned.uuid,
    source: returned.text(),
    verdict: nullable(returned.text()),
    requestedAt: returned.time,
  },
  ({ filters, after, most }: Selection) => {
    const later =
      after === null
        ? sql`true`
        : sql`
          (confirmation.invoice_id, confirmation.source) > (${after.id}::uuid, ${after.source ?? ""}::text)`;
    return sql`
      select confirmation.invoice_id as "invoiceId", confirmation.source, confirmation.verdict,
        confirmation.requested_at as "requestedAt"
      ${matchConfirmations(filters)} and ${later}
      order by confirmation.invoice_id, confirmation.source limit ${most}`;
  },
  [
    { filters: {}, after: null, most: 1 },
    { filters: EVERY_FILTER, after: { id: "" }, most: 1 },
  ],
);
