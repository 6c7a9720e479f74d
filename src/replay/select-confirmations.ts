import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { conditionOf } from "./filter-conditions.ts";
import type { Position, ReplayFilters } from "./replay.ts";

export interface SelectedConfirmation {
  invoiceId: string;
  source: string;
  verdict: string | null;
  requestedAt: Date;
}

const matching = (filters: ReplayFilters) => sql`
  from confirmation
  left join invoice on invoice.source = confirmation.source and invoice.id = confirmation.invoice_id
  where ${conditionOf(filters, {
    from: (time) => sql`confirmation.requested_at >= ${time}`,
    to: (time) => sql`confirmation.requested_at < ${time}`,
    invoiceIds: (ids) => sql`confirmation.invoice_id = any(${ids}::uuid[])`,
    collection: (name) => sql`invoice.collection_name = ${name}`,
    verdict: (verdict) => sql`confirmation.verdict = ${verdict}`,
    source: (source) => sql`confirmation.source = ${source}`,
  })}`;

export async function countConfirmations(db: Kysely<Tables>, filters: ReplayFilters): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count ${matching(filters)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The next confirmations after a position, in the order of their invoices. */
export async function selectConfirmations(
  db: Kysely<Tables>,
  filters: ReplayFilters,
  after: Position | null,
  most: number,
): Promise<SelectedConfirmation[]> {
  const later =
    after === null
      ? sql`true`
      : sql`
        (confirmation.invoice_id, confirmation.source) > (${after.id}::uuid, ${after.source ?? ""}::text)`;
  const { rows } = await sql<SelectedConfirmation>`
    select confirmation.invoice_id as "invoiceId", confirmation.source, confirmation.verdict,
      confirmation.requested_at as "requestedAt"
    ${matching(filters)} and ${later}
    order by confirmation.invoice_id, confirmation.source limit ${most}`.execute(db);
  return rows;
}
