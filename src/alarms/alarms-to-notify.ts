import { type Kysely, type RawBuilder, sql } from "kysely";
import { isTooFarAhead } from "../database/expressions.ts";
import { nullable, type RowOf, returned, type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import type { AlarmName } from "./alarms.ts";

const ALARM_TO_NOTIFY = {
  id: returned.count,
  name: returned.text<AlarmName>(),
  source: returned.text(),
  subject: returned.text(),
  detail: returned.text(),
  /** How often it was raised while open. */
  times: returned.integer,
  raisedAt: returned.time,
  /** null while it is open. */
  clearedAt: nullable(returned.time),
};

/** An alarm whose beginning or end the people have not been told. */
export type AlarmToNotify = RowOf<typeof ALARM_TO_NOTIFY>;

/** The alarms that this process has taken to tell; no other process tells them meanwhile. */
export interface ClaimedAlarms {
  /** The oldest first. */
  alarms: AlarmToNotify[];
  /** How often telling has failed in a row, whichever process tried. */
  failures: number;
}

/** The longest that people wait for the next message, in ms, besides for one that is under way. */
export const NOTIFYING_WAITS = { betweenMs: 5_000, afterFailureMs: 300_000 } as const;

const inMs = (ms: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`clock_timestamp() + ${ms}::float8 * interval '1 ms'`;

/**
 * Queries for what people have not been told, each by its index. What ended more than a day ago is no longer
 * news: otherwise switching the webhook on would tell of all alarms there ever were.
 */
const BEGUN = sql`select * from alarm where cleared_at is null and told_at is null`;
const ENDED = sql`
  select * from alarm where cleared_at > clock_timestamp() - interval '1 day' and cleared_told_at is null`;

interface Turn {
  most: number;
  lease: { ms: number; longestMs: number };
}

const claimTurn = new Statement(
  { ...ALARM_TO_NOTIFY, failures: returned.integer },
  ({ value }: Slots<Turn>) => {
    const most = value((given) => given.most);
    const longest = value(({ lease }) => Math.max(NOTIFYING_WAITS.betweenMs, lease.longestMs));
    const isLost = isTooFarAhead(
      sql`next_at`,
      sql`greatest(${longest}, case failures when 0 then 0 else ${NOTIFYING_WAITS.afterFailureMs} end)::float8
        * interval '1 ms'`,
    );
    return sql`
    with turn as (
      update alarm_telling set next_at = ${inMs(value(({ lease }) => lease.ms))}
      where (next_at <= clock_timestamp() or ${isLost}) and (exists (${BEGUN}) or exists (${ENDED}))
      returning failures)
    select id, name, source, subject, detail, times, raised_at as "raisedAt", cleared_at as "clearedAt",
      turn.failures
    from turn, (
      (${BEGUN} order by id limit ${most}) union all (${ENDED} order by cleared_at limit ${most})) as untold
    order by id limit ${most}`;
  },
);

/**
 * Takes the turn to tell what is untold: only one of several processes has it at a time, and not before it is
 * due.
 * @param given.lease after it another process may take the turn: the one that took it has died.
 * @returns null when there is nothing to tell, or the turn is another process's or not due yet.
 */
export async function claimAlarmsToNotify(db: Kysely<Tables>, given: Turn): Promise<ClaimedAlarms | null> {
  const rows = await claimTurn.execute(db, given);
  const [first] = rows;
  if (first === undefined) return null;
  return { alarms: rows.map(({ failures: _, ...alarm }) => alarm), failures: first.failures };
}

/**
 * Records that they were told, as they stood when they were claimed: the end of one that has ended since is
 * still to be told.
 * @param nextInMs how long until the next message at the earliest, in ms
 */
export async function markAlarmsNotified(
  db: Kysely<Tables>,
  told: readonly AlarmToNotify[],
  nextInMs: number,
): Promise<void> {
  const ended = told.filter(({ clearedAt }) => clearedAt !== null).map(({ id }) => id);
  await sql`
    with told as (
      update alarm set told_at = coalesce(told_at, clock_timestamp()),
        cleared_told_at = case when id = any(${ended}::bigint[]) then clock_timestamp() end
      where id = any(${told.map(({ id }) => id)}::bigint[]))
    update alarm_telling set next_at = ${inMs(sql`${nextInMs}`)}, failures = 0`.execute(db);
}

/** Notes that telling failed. @param waitMs how long until the next try, in ms. */
export async function delayNotifying(db: Kysely<Tables>, waitMs: number): Promise<void> {
  await sql`update alarm_telling set next_at = ${inMs(sql`${waitMs}`)}, failures = failures + 1`.execute(db);
}
