import { type Kysely, sql } from "kysely";
import { type Columns, float, text } from "../../database/columns.ts";
import { returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";

/** How much of an hour's budget is spent, of bytes, callbacks and ids: 1 is all of it. */
interface BudgetShares {
  /** Whose budget it is. */
  key: string;
  bytes: number;
  callbacks: number;
  ids: number;
}

const SHARES: Columns<BudgetShares> = {
  key: text(({ key }) => key),
  bytes: float(({ bytes }) => bytes),
  callbacks: float(({ callbacks }) => callbacks),
  ids: float(({ ids }) => ids),
};

/** What still counts of an earlier share, and what is added: a budget empties evenly over an hour. */
const left = (what: "bytes" | "callbacks" | "ids") => sql`
  greatest(0, known.${sql.ref(what)} - greatest(0, extract(epoch
  from clock_timestamp() - known.counted_at)::float8) / 3600)
    + excluded.${sql.ref(what)}`;

const sharing = new Statement(
  { key: returned.text(), bytes: returned.float, callbacks: returned.float, ids: returned.float },
  ({ table }: Slots<readonly BudgetShares[]>) => sql`
    insert into callback_budget as known (key, bytes, callbacks, ids)
    select key, bytes, callbacks, ids from ${table("spent", SHARES, (spent) => spent)} order by key
    on conflict (key) do update set bytes = ${left("bytes")}, callbacks = ${left("callbacks")},
      ids = ${left("ids")}, counted_at = clock_timestamp()
    returning key, bytes, callbacks, ids`,
);

/** Adds what one process spent. @returns what all processes have spent by now, for the same keys. */
export const shareBudgets = (db: Kysely<Tables>, spent: readonly BudgetShares[]) =>
  sharing.execute(db, spent);

/** What was spent more than an hour ago no longer counts. */
export async function forgetBudgets(db: Kysely<Tables>): Promise<void> {
  await sql`delete from callback_budget where counted_at < clock_timestamp() - interval '1 hour'`.execute(db);
}
