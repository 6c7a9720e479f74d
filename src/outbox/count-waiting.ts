import { type Kysely, sql } from "kysely";
import { type Columns, tableOf, text } from "../database/columns.ts";
import type { Tables } from "../database/tables.ts";
import type { Route } from "./event.ts";

const ROUTE: Columns<Pick<Route, "source" | "invoiceType">> = {
  source: text(({ source }) => source),
  invoice_type: text(({ invoiceType }) => invoiceType),
};

/**
 * How many events of these routes are on their way or should be.
 * @param since the moment, as Postgres writes it, at which they were due; now when null.
 */
export async function countWaiting(
  db: Kysely<Tables>,
  routes: readonly Route[],
  since: string | null,
): Promise<number> {
  // One state at a time, as its index has it.
  const waiting = (state: "due" | "claimed") => sql`
    (select count(*) from outbox
      where state = ${sql.lit(state)} and due_at <= coalesce(${since}::timestamptz, clock_timestamp())
        and (source, invoice_type) in (select source, invoice_type from ${tableOf("route", ROUTE, routes)}))`;
  const { rows } = await sql<{ count: number }>`
    select ${waiting("due")} + ${waiting("claimed")} as count`.execute(db);
  return rows[0]?.count ?? 0;
}
