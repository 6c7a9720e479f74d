import { type Kysely, type RawBuilder, sql } from "kysely";
import { interval, isTooFarAhead } from "../database/moments.ts";
import type { Tables } from "../database/tables.ts";
import { LONGEST_HOLD_MS, MOST_RETRY_AFTER_MS } from "./machine.ts";
import { SOURCE, TOPIC, type UpstreamKind } from "./upstream-kind.ts";

/** How far ahead each moment of an upstream may lie; not at all, where it is that of something past. */
const longestOf = ({ table, policy }: UpstreamKind): Record<string, RawBuilder<unknown>> => ({
  // Held until the moment that the upstream named, or for a back-off.
  opens_at: sql`case when opens_at <= retry_at + interval '1 s' then ${interval(MOST_RETRY_AFTER_MS)}
    else ${interval(LONGEST_HOLD_MS)} end`,
  retry_at: interval(MOST_RETRY_AFTER_MS),
  probe_at: interval(policy.probe.capMs),
  ...(table === "topic"
    ? {}
    : {
        allowance_at: interval(0),
        unknown_allowance_at: interval(0),
        unknown_share_at: interval(0),
        first_served_at: interval(0),
      }),
});

/**
 * Moments of sources and topics that lie further ahead than their kind ever waits become now (G11): a bucket
 * would not be refilled, nor a back-off end, before Postgres' clock came there again. An operator's pause
 * ends when the operator said.
 */
export async function bringUpstreamsForward(db: Kysely<Tables>): Promise<void> {
  for (const kind of [SOURCE, TOPIC]) {
    const longest = longestOf(kind);
    const columns = Object.keys(longest).map((name) => ({
      column: sql.ref(name),
      isLost: isTooFarAhead(sql.ref(name), longest[name] ?? interval(0)),
    }));
    const [table, key] = [sql.table(kind.table), sql.ref(kind.key)];
    await sql`
      update ${table} set version = version + 1, ${sql.join(
        columns.map(
          ({ column, isLost }) => sql`
        ${column} = case when ${isLost} then clock_timestamp() else ${column} end`,
        ),
      )}
      where ctid = any(array(
        select ctid from ${table} where ${sql.join(
          columns.map(({ isLost }) => isLost),
          sql` or `,
        )} order by ${key} for update))`.execute(db);
  }
}
