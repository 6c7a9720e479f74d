import { type RawBuilder, sql } from "kysely";
import { type Database, nullable, type RowOf, returned, type Slots, Statement } from "../database/index.ts";
import { type AlarmName, ESCALATING } from "./alarm-definitions.ts";
import { type Alarm, clearAlarms, ENDED_ALARMS, type EndedAlarm, raiseAlarms } from "./alarms.ts";

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
  /** When people were last notified that it is open; null for never. */
  toldAt: nullable(returned.time),
  /** When it was claimed: people are notified of its state at that time. */
  at: returned.time,
};

/** An alarm that people are to be notified of: it has begun, ended or become critical. */
export type AlarmToNotify = RowOf<typeof ALARM_TO_NOTIFY>;

/** The alarms that this process has taken to report; no other process reports them meanwhile. */
interface ClaimedAlarms {
  /** The oldest first. */
  alarms: AlarmToNotify[];
  /** How often reporting has failed in a row, whichever process tried. */
  failures: number;
}

/** The longest that people wait for the next message, in ms, besides for one that is under way. */
export const NOTIFYING_WAITS = { betweenMs: 5_000, afterFailureMs: 300_000 } as const;

const inMs = (ms: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`clock_timestamp() + ${ms}::float8 * interval '1 ms'`;

/**
 * Queries for changes that people have not been notified of, each by its index. Alarms that ended more than a day
 * ago are left out: otherwise switching the webhook on would report every alarm there ever was. The webhook does
 * not report its own alarm.
 */
const BEGUN = sql`
  select * from alarm where cleared_at is null and told_at is null and name <> 'webhook_failing'`;

/** Reported before it became critical: people are notified once more. */
const AGAIN = sql`
  select alarm.* from (values ${sql.join(
    ESCALATING.map(({ name, minutes }) => sql`(${sql.lit(name)}, ${sql.lit(`${minutes} min`)}::interval)`),
  )}) as escalating (name, after)
    join alarm on alarm.name = escalating.name
  where cleared_at is null and told_at < raised_at + after and raised_at + after <= clock_timestamp()`;
const ENDED = sql`
  select * from alarm where cleared_at > clock_timestamp() - interval '1 day' and cleared_told_at is null
    and name <> 'webhook_failing'`;

/** A condition on rows of `alarm_telling`: people are to be notified of something, and may be by now. */
const MAY_NOTIFY = sql`
  next_at <= clock_timestamp() and (exists (${BEGUN}) or exists (${ENDED}) or exists (${AGAIN}))`;

/** A condition: `claimAlarmsToNotify` has something to return. */
export const alarmsAreToNotify: RawBuilder<boolean> = sql`
  exists (select from alarm_telling where ${MAY_NOTIFY})`;

interface Turn {
  most: number;
  lease: { ms: number };
}

const claimTurn = new Statement(
  { ...ALARM_TO_NOTIFY, failures: returned.integer },
  ({ value }: Slots<Turn>) => {
    const most = value((given) => given.most);
    return sql`
    with turn as (
      update alarm_telling set next_at = ${inMs(value(({ lease }) => lease.ms))}
      where ${MAY_NOTIFY}
      returning failures)
    select id, name, source, subject, detail, times, raised_at as "raisedAt", cleared_at as "clearedAt",
      told_at as "toldAt", clock_timestamp() as at, turn.failures
    from turn, (
      (${BEGUN} order by id limit ${most}) union all (${ENDED} order by cleared_at limit ${most})
      union all (select * from (${AGAIN}) as again order by id limit ${most})) as untold
    order by id limit ${most}`;
  },
);

/**
 * Takes the turn to report changes: only one of several processes has it at a time, and not before it is due.
 * @param given.lease after it another process may take the turn: the one that took it has died.
 * @returns null when there is nothing to report, or the turn is another process's or not due yet.
 */
export async function claimAlarmsToNotify(db: Database, given: Turn): Promise<ClaimedAlarms | null> {
  const rows = await claimTurn.execute(db, given);
  const [first] = rows;
  if (first === undefined) return null;
  return { alarms: rows.map(({ failures: _, ...alarm }) => alarm), failures: first.failures };
}

interface Marked {
  at: Date;
  ids: readonly number[];
  ended: readonly number[];
  nextInMs: number;
}

const markNotified = new Statement(
  ENDED_ALARMS,
  ({ value }: Slots<Marked>) => sql`
    with notified as (
      update alarm set told_at = ${value(({ at }) => at)},
        cleared_told_at = case when id = any(${value(({ ended }) => ended)}::bigint[]) then clock_timestamp() end
      where id = any(${value(({ ids }) => ids)}::bigint[])),
    turn as (
      update alarm_telling set next_at = ${inMs(value(({ nextInMs }) => nextInMs))}, failures = 0)
    ${clearAlarms(sql`name = 'webhook_failing'`)} returning name, source, subject`,
);

/**
 * Records that people were notified of them, in their state when they were claimed: the end of one that has
 * ended since is still to come.
 * @param nextInMs how long until the next message at the earliest, in ms
 * @returns the alarm of the webhook itself, which that ended
 */
export async function markAlarmsNotified(
  db: Database,
  notified: readonly AlarmToNotify[],
  nextInMs: number,
): Promise<readonly EndedAlarm[]> {
  const at = notified[0]?.at ?? new Date(0);
  const ended = notified.filter(({ clearedAt }) => clearedAt !== null).map(({ id }) => id);
  const ids = notified.map(({ id }) => id);
  return await markNotified.execute(db, { at, ids, ended, nextInMs });
}

/** Up to two failures may pass by themselves. */
const FAILURES_TOLD = 3;

const delay = new Statement(
  { ...ENDED_ALARMS, detail: returned.text(), times: returned.integer },
  ({ value }: Slots<{ waitMs: number; problem: string }>) => sql`
    with delayed as (
      update alarm_telling set next_at = ${inMs(value(({ waitMs }) => waitMs))}, failures = failures + 1
      returning failures)
    ${raiseAlarms(sql`
      select 'webhook_failing' as name, '' as source, 'webhook' as subject,
        format('ALARM_WEBHOOK_URL has not taken the last %s messages: %s.', failures,
          ${value(({ problem }) => problem)}::text) as detail
      from delayed where failures >= ${sql.lit(FAILURES_TOLD)}`)}
    returning name, source, subject, detail, times`,
);

/**
 * Notes that reporting failed; several times in a row it is an alarm.
 * @param given.waitMs how long until the next try, in ms
 * @returns that alarm, where it is new
 */
export const delayNotifying = async (
  db: Database,
  given: { waitMs: number; problem: string },
): Promise<readonly Alarm[]> => (await delay.execute(db, given)).filter(({ times }) => times === 1);
