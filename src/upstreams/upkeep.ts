import { type RawBuilder, sql } from "kysely";
import { type Alarms, noneIsOpen, wasRaisedSince } from "../alarms/alarms.ts";
import { interval, isTooFarAhead } from "../database/expressions.ts";
import { returned, VaryingStatement } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { change, readUpstreamRow } from "./change.ts";
import { LONGEST_HOLD_MS, lastingAlarms, RETRY_AFTER_LIMIT_MS, type UpstreamAlarm } from "./machine.ts";
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

/** What asked for longer was told when it named that moment. */
const LONGEST = sql.lit(`${RETRY_AFTER_LIMIT_MS} ms`);

/** A pause that ends by itself is told of after so long: it may have been forgotten. */
const FORGOTTEN_AFTER = sql`interval '1 hour'`;

const selectUnraised = new VaryingStatement(
  {
    name: returned.text(),
    alarm: returned.text<UpstreamAlarm>(),
    error: returned.text(),
  },
  ({ kind, names }: { kind: UpstreamKind; names: readonly string[] }) => {
    const key = sql.ref(`${kind.table}.${kind.key}`);
    return sql`
      select ${key} as name, lasting.alarm,
        coalesce(case when paused_by = 'operator' then pause_reason else last_error end, '') as error
      from ${sql.table(kind.table)} cross join lateral (values
        ('failing', ${kind.alarms.failing}::text, faults + slow_downs >= ${sql.lit(kind.policy.alarmsAfter)}),
        ('paused', ${kind.alarms.paused}::text, paused_by = 'refused'),
        ('retry_after', ${kind.alarms.retry_after}::text, retry_at > '-infinity'
          and ${wasRaisedSince(sql.lit(kind.alarms.retry_after), key, sql`retry_at - ${LONGEST}::interval`)}),
        ('standing', ${kind.alarms.standing}::text, paused_by = 'operator' and case
          when paused_until is null then true
          else paused_until > clock_timestamp() and paused_at < clock_timestamp() - ${FORGOTTEN_AFTER} end)
      ) as lasting (alarm, told_as, holds)
      where ${key} = any(${names}::text[]) and holds and ${noneIsOpen(sql`told_as`, key)}`;
  },
  [
    { kind: SOURCE, names: [] },
    { kind: TOPIC, names: [] },
  ],
);

/**
 * Raises the alarm of a state that lasts where none is open: whoever closed it took the source or topic for
 * gone. A state that changes meanwhile is left to its transition.
 */
export async function notifyAgain(
  { db, alarms }: { db: Database; alarms: Alarms },
  kind: UpstreamKind,
  names: readonly string[],
): Promise<void> {
  for (const { name, alarm, error } of await selectUnraised.execute(db, { kind, names })) {
    const upstream = await readUpstreamRow(db, kind, name);
    if (upstream === null || !lastingAlarms(upstream, kind.policy).includes(alarm)) continue;
    const same = { upstream, lastError: undefined, raises: [{ alarm, error }], clears: [] };
    const told = await change(db, kind, name, upstream, same);
    if (told !== null) alarms.notifyAll(told);
  }
}
