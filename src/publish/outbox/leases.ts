import { type Kysely, sql } from "kysely";
import { interval, isTooFarAhead } from "../../database/moments.ts";
import type { Tables } from "../../database/tables.ts";
import { LeasedRows, MOST_FORWARD } from "../../work/leased-rows.ts";

export const outboxLeases = new LeasedRows("outbox", "event_id");

/**
 * Events that wait longer than the longest back-off are due at once (G11); one that was not tried never
 * waits.
 * @param longestMs that back-off, in ms
 * @returns how many; with `MOST_FORWARD` there may be more.
 */
export function bringForwardEvents(
  db: Kysely<Tables>,
  sources: readonly string[],
  longestMs: number,
): Promise<number> {
  const longest = sql`case attempt when 0 then interval '0' else ${interval(longestMs)} end`;
  // The index ends the search before what is due.
  return outboxLeases.bringForward(
    db,
    sql`ctid = any(array(
      select late.ctid from unnest(${sources}::text[]) as given (source)
      cross join (values ('Live'), ('Test')) as class (invoice_type)
      cross join lateral (
        select ctid from outbox as one
        where one.source = given.source and one.invoice_type = class.invoice_type and state = 'due'
          and due_at > now() and ${isTooFarAhead(sql`due_at`, longest)}
        limit ${MOST_FORWARD}) as late))`,
  );
}
