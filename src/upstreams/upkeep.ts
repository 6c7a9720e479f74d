import { type RawBuilder, sql } from "kysely";
import { interval, isTooFarAhead } from "../database/expressions.ts";
import type { Database } from "../database/tables.ts";
import { LONGEST_HOLD_MS, RETRY_AFTER_LIMIT_MS } from "./machine.ts";
import { SOURCE, TOPIC, type UpstreamKind } from "./upstream-kind.ts";

/** How far ahead each moment of an upstream may lie; not at all, where it is that of something past. */
const longestOf = ({ table, policy }: UpstreamKind): Record<string, RawBuilder<unknown>> => ({
  // Held until the moment that the upstream named, or for a back-off.
  opens_at: sql`case when opens_at <= retry_at + interval '1 s' then ${interval(RETRY_AFTER_LIMIT_MS)}
    else ${interval(LONGEST_HOLD_MS)} end`,
  retry_at: interval(RETRY_AFTER_LIMIT_MS),
  probe_at: interval(policy.probe.capMs),
  ...(table === "topic"
    ? {}
    : {
        allowance_at: interval(0),
        not_found_at: interval(0),
        next_unknown_at: interval(1_000),
        first_served_at: interval(0),
      }),
});

/**
 * Moments of sources and topics that lie further ahead than their kind ever waits become now (G11): a bucket
 * would not be refilled, nor a back-off end, before Postgres' clock came there again. An operator's pause
 * ends when the operator said.
 */
export async function bringUpstreamsForward(db: Database): Promise<void> {
  for (const kind of [SOURCE, TOPIC]) {
    const columns = momentsOf(kind);
    const [table, key] = [sql.table(kind.table), sql.ref(kind.key)];
    await sql`
      update ${table} set version = version + 1, ${sql.join(
        columns.map(
          ({ column, isLost }) => sql`
        ${column} = case when ${isLost} then clock_timestamp() else ${column} end`,
        ),
      )}
      where ctid = any(array(
        select ctid from ${table} where ${isLost(kind)} order by ${key} for update))`.execute(db);
  }
}

const momentsOf = (kind: UpstreamKind) =>
  Object.entries(longestOf(kind)).map(([name, longest]) => ({
    column: sql.ref(name),
    isLost: isTooFarAhead(sql.ref(name), longest),
  }));

const isLost = (kind: UpstreamKind) =>
  sql.join(
    momentsOf(kind).map((moment) => moment.isLost),
    sql` or `,
  );

/** A condition: `bringUpstreamsForward` has something to do. */
export const upstreamsNeedRescue: RawBuilder<boolean> = sql`
  (exists (select from source where ${isLost(SOURCE)}) or exists (select from topic where ${isLost(TOPIC)}))`;

/** A condition: a pause has ended that nobody has noticed yet. */
export const pausesHaveEnded: RawBuilder<boolean> = sql`
  (exists (select from source where paused_until <= clock_timestamp())
    or exists (select from topic where paused_until <= clock_timestamp()))`;

/** A condition: the key of one of these sources is to be tried (`takeProbe`). @param sources an array of names. */
export const keysAreToProbe = (sources: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  exists (select from source
    where name = any(${sources}) and paused_by = 'refused' and probe_at <= clock_timestamp())`;
