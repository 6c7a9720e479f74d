import { sql } from "kysely";
import { nullable, returned, typed } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import type { Severity } from "./alarm-definition.ts";
import {
  ALARM_NAMES,
  ALARMS,
  type AlarmName,
  describeAlarm,
  remedyOf,
  severityOf,
  titleOf,
} from "./alarm-definitions.ts";
import type { EndedAlarm } from "./alarms.ts";

interface AlarmFilters {
  /** Cleared ones too. */
  all?: boolean | undefined;
  name?: string | undefined;
  names?: readonly AlarmName[] | undefined;
  source?: string | undefined;
}

/** The newest first, and how many there are in all. */
export async function listAlarms(
  db: Database,
  { all = false, name, names, source }: AlarmFilters,
  limit: number,
) {
  let query = db
    .selectFrom("alarm")
    .select(["name", "source", "subject", "detail", "times", "note", "snoozed_until as snoozedUntil"])
    .select(["raised_at as raisedAt", "last_raised_at as lastRaisedAt", "cleared_at as clearedAt"])
    .select(typed(returned.count, sql`count(*) over ()`).as("total"))
    .select(typed(returned.time, sql`clock_timestamp()`).as("now"))
    .orderBy("id", "desc")
    .limit(limit);
  if (!all) query = query.where("cleared_at", "is", null);
  if (names !== undefined) query = query.where("name", "in", names);
  if (name !== undefined) query = query.where("name", "=", name);
  if (source !== undefined) query = query.where("source", "=", source);
  const rows = await query.execute();
  const items = rows.map(({ total: _, now, ...row }) => {
    const alarm = { ...row, name: row.name as AlarmName };
    return { ...alarm, ...describeAlarm({ ...alarm, now: row.clearedAt ?? now }) };
  });
  return { total: rows[0]?.total ?? 0, items };
}

const isSnoozed = sql`coalesce(snoozed_until > clock_timestamp(), false)`;

/** One line for each name, the gravest first: by severity, then as they are defined. @param now by Postgres' clock. */
export async function groupOpenAlarms(db: Database, now: Date) {
  const rows = await db
    .selectFrom("alarm")
    .select("name")
    .select(typed(returned.count, sql`count(*) filter (where not ${isSnoozed})`).as("count"))
    .select(typed(returned.count, sql`count(*) filter (where ${isSnoozed})`).as("snoozed"))
    .select(
      typed(nullable(returned.time), sql`min(snoozed_until) filter (where ${isSnoozed})`).as("snoozedUntil"),
    )
    .select(typed(nullable(returned.text()), sql`case when count(*) = 1 then min(source) end`).as("source"))
    .select(typed(nullable(returned.text()), sql`case when count(*) = 1 then min(subject) end`).as("subject"))
    .select(typed(returned.time, sql`min(raised_at)`).as("oldestAt"))
    .select(typed(returned.time, sql`max(last_raised_at)`).as("newestAt"))
    .where("cleared_at", "is", null)
    .groupBy("name")
    .execute();
  const groups = rows.map(({ source, ...row }) => {
    const name = row.name as AlarmName;
    const about = source === null || row.subject === null ? null : { source, subject: row.subject };
    return {
      ...row,
      name,
      title: titleOf(name, row.count + row.snoozed),
      severity: severityOf(name, row.oldestAt, now),
      action: ALARMS[name].action,
      remedy: remedyOf(name, about),
    };
  });
  return groups.sort((one, other) => rank(one) - rank(other));
}

const rank = ({ severity, name }: { severity: Severity; name: AlarmName }): number =>
  (severity === "critical" ? 0 : ALARM_NAMES.length) + ALARM_NAMES.indexOf(name);

export async function countOpenAlarms(db: Database): Promise<{ name: AlarmName; count: number }[]> {
  const rows = await db
    .selectFrom("alarm")
    .select(({ fn }) => ["name", fn.countAll<number>().as("count")])
    .where("cleared_at", "is", null)
    .groupBy("name")
    .orderBy("name")
    .execute();
  return rows.map(({ name, count }) => ({ name: name as AlarmName, count }));
}

/** Which open alarms a person means: all of a name, unless a source or subject is named. */
export interface MeantAlarms {
  name: AlarmName;
  source?: string | undefined;
  subject?: string | undefined;
}

/** Those of the meant ones that are open, locked until the transaction's end. */
export async function listOpenAlarms(
  trx: Database,
  meant: readonly MeantAlarms[],
): Promise<(EndedAlarm & { id: number })[]> {
  if (meant.length === 0) return [];
  const rows = await trx
    .selectFrom("alarm")
    .select(["id", "name", "source", "subject"])
    .where("cleared_at", "is", null)
    .where((is) =>
      is.or(
        meant.map(({ name, source, subject }) =>
          is.and([
            is("name", "=", name),
            ...(source === undefined ? [] : [is("source", "=", source)]),
            ...(subject === undefined ? [] : [is("subject", "=", subject)]),
          ]),
        ),
      ),
    )
    .orderBy("id")
    .forUpdate()
    .execute();
  return rows.map(({ name, ...alarm }) => ({ ...alarm, name: name as AlarmName }));
}

/** Has nobody told of these before `until`; they stay open. */
export async function snoozeAlarms(trx: Database, ids: readonly number[], until: Date): Promise<void> {
  await sql`update alarm set snoozed_until = ${until} where id = any(${ids}::bigint[])`.execute(trx);
}

/** Notes something about these; an empty note takes it away. */
export async function noteAlarms(trx: Database, ids: readonly number[], note: string): Promise<void> {
  await sql`update alarm set note = ${note === "" ? null : note} where id = any(${ids}::bigint[])`.execute(
    trx,
  );
}
