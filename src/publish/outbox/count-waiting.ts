import { type Kysely, sql } from "kysely";
import { type Columns, text } from "../../database/columns.ts";
import { returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import type { Route } from "./event.ts";

const ROUTE: Columns<Pick<Route, "source" | "invoiceType">> = {
  source: text(({ source }) => source),
  invoice_type: text(({ invoiceType }) => invoiceType),
};

interface Given {
  routes: readonly Route[];
  since: string | null;
}

const counting = new Statement({ count: returned.count }, ({ table, value }: Slots<Given>) => {
  const since = sql`coalesce(${value((given) => given.since)}::timestamptz, clock_timestamp())`;
  const route = table("route", ROUTE, ({ routes }) => routes);
  // One state at a time, as its index has it.
  const waiting = (state: "due" | "claimed") => sql`
    (select count(*) from outbox
      where state = ${sql.lit(state)} and due_at <= ${since}
        and (source, invoice_type) in (select source, invoice_type from ${route}))`;
  return sql`select ${waiting("due")} + ${waiting("claimed")} as count`;
});

/**
 * How many events of these routes are on their way or should be.
 * @param since the moment, as Postgres writes it, by which they were due; now when null.
 */
export async function countWaiting(
  db: Kysely<Tables>,
  routes: readonly Route[],
  since: string | null,
): Promise<number> {
  const [row] = await counting.execute(db, { routes, since });
  return row?.count ?? 0;
}
