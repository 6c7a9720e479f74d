import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { conditionOf } from "./filter-conditions.ts";
import type { Position, ReplayFilters } from "./replay.ts";

export interface SelectedQuestion {
  invoiceId: string;
  source: string;
  verdict: string | null;
  requestedAt: Date;
}

const matching = (filters: ReplayFilters) => sql`
  from confirmation as question left join invoice on invoice.id = question.invoice_id
  where ${conditionOf(filters, {
    from: (time) => sql`question.requested_at >= ${time}`,
    to: (time) => sql`question.requested_at < ${time}`,
    invoiceIds: (ids) => sql`question.invoice_id = any(${ids}::uuid[])`,
    collection: (name) => sql`invoice.collection_name = ${name}`,
    verdict: (verdict) => sql`question.verdict = ${verdict}`,
    source: (source) => sql`question.source = ${source}`,
  })}`;

export async function countConfirmations(db: Kysely<Tables>, filters: ReplayFilters): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count ${matching(filters)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The next questions after a position, in the order of their invoices. */
export async function selectConfirmations(
  db: Kysely<Tables>,
  filters: ReplayFilters,
  after: Position | null,
  most: number,
): Promise<SelectedQuestion[]> {
  const later =
    after === null
      ? sql`true`
      : sql`(question.invoice_id, question.source) > (${after.id}::uuid, ${after.source ?? ""}::text)`;
  const { rows } = await sql<SelectedQuestion>`
    select question.invoice_id as "invoiceId", question.source, question.verdict, question.requested_at as "requestedAt"
    ${matching(filters)} and ${later}
    order by question.invoice_id, question.source limit ${most}`.execute(db);
  return rows;
}
