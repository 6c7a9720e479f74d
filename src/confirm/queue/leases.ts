import { type Kysely, sql } from "kysely";
import { interval, isTooFarAhead } from "../../database/moments.ts";
import type { Tables } from "../../database/tables.ts";
import { LeasedRows, MOST_FORWARD } from "../../work/leased-rows.ts";
import { LONGEST_WAITS } from "./ladder.ts";

export const confirmationLeases = new LeasedRows("confirmation", "invoice_id");

/**
 * Confirmations that wait longer than their step of the ladder are due at once (G11). A first ask never
 * waits. Each lookup is one step into an index, however many wait as they should.
 * @returns how many; with `MOST_FORWARD` there may be more.
 */
export function bringForwardConfirmations(db: Kysely<Tables>, sources: readonly string[]): Promise<number> {
  const steps = sql.join(LONGEST_WAITS.map((ms, attempt) => sql`(${sql.lit(attempt)}, ${interval(ms)})`));
  return confirmationLeases.bringForward(
    db,
    sql`ctid = any(array(
      select first.ctid from unnest(${sources}::text[]) as given (source)
      cross join (values ('known'), ('unknown'), ('replay')) as class (priority)
      cross join lateral (
        select ctid from confirmation as one
        where one.source = given.source and one.priority = class.priority and state = 'due'
          and least(attempt + faults, 1) = 0 and ${isTooFarAhead(sql`due_at`, interval(0))}
        limit ${MOST_FORWARD}) as first
      union all
      select again.ctid from (values ${steps}) as step (attempt, longest)
      cross join lateral (
        select ctid from confirmation as one
        where state = 'due' and attempt + faults > 0 and one.attempt = step.attempt
          and ${isTooFarAhead(sql`due_at`, sql`step.longest`)}
        limit ${MOST_FORWARD}) as again))`,
  );
}
