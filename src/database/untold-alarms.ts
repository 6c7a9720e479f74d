import { type Kysely, sql } from "kysely";
import type { AlarmName } from "./alarms.ts";
import type { Tables } from "./tables.ts";

/** An alarm whose beginning or end the people have not been told. */
export interface UntoldAlarm {
  id: number;
  name: AlarmName;
  source: string;
  subject: string;
  detail: string;
  /** How often it was raised while open. */
  times: number;
  raisedAt: Date;
  /** null while it is open. */
  clearedAt: Date | null;
}

/**
 * Takes what is untold, the oldest first, so that of several processes one tells it. What ended more than a
 * day ago is no news any more, so that switching the telling on does not tell all that ever was.
 * @param leaseMs after so long another may tell it, in ms: whoever took it has died.
 */
export async function claimUntoldAlarms(
  db: Kysely<Tables>,
  { most, leaseMs }: { most: number; leaseMs: number },
): Promise<UntoldAlarm[]> {
  const { rows } = await sql<UntoldAlarm>`
    with untold as (
      select id from alarm
      where coalesce(telling_until <= clock_timestamp(), true)
        and (cleared_at is null and told_at is null
          or cleared_at > clock_timestamp() - interval '1 day' and cleared_told_at is null)
      order by id limit ${most} for update skip locked)
    update alarm set telling_until = clock_timestamp() + ${leaseMs}::float8 * interval '1 ms'
    from untold where alarm.id = untold.id
    returning alarm.id, name, source, subject, detail, times, raised_at as "raisedAt",
      cleared_at as "clearedAt"`.execute(db);
  return rows.sort((one, other) => one.id - other.id);
}

/** Keeps that they were told, as they were when they were taken: what ended since is told by itself. */
export async function markAlarmsTold(db: Kysely<Tables>, told: readonly UntoldAlarm[]): Promise<void> {
  const ended = told.filter(({ clearedAt }) => clearedAt !== null).map(({ id }) => id);
  await sql`
    update alarm set telling_until = null, told_at = coalesce(told_at, clock_timestamp()),
      cleared_told_at = case when id = any(${ended}::bigint[]) then clock_timestamp() end
    where id = any(${told.map(({ id }) => id)}::bigint[])`.execute(db);
}

/** Lets them be taken again after `waitMs`, in ms: telling failed. */
export async function putAlarmsOff(
  db: Kysely<Tables>,
  untold: readonly UntoldAlarm[],
  waitMs: number,
): Promise<void> {
  await sql`
    update alarm set telling_until = clock_timestamp() + ${waitMs}::float8 * interval '1 ms'
    where id = any(${untold.map(({ id }) => id)}::bigint[])`.execute(db);
}
