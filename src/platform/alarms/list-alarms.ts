import { sql } from "kysely";
import {
  type Columns,
  type Database,
  nullable,
  query,
  returned,
  tableOf,
  text,
  typed,
} from "../database/index.ts";
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

const selectAlarms = query(
  (db, { all = false, name, names, source }: AlarmFilters, limit: number) => {
    let found = db
      .selectFrom("alarm")
      .select(["name", "source", "subject", "detail", "times"])
      .select(["raised_at as raisedAt", "last_raised_at as lastRaisedAt", "cleared_at as clearedAt"])
      .select(typed(returned.count, sql`count(*) over ()`).as("total"))
      .select(typed(returned.time, sql`clock_timestamp()`).as("now"))
      .orderBy("id", "desc")
      .limit(limit);
    if (!all) found = found.where("cleared_at", "is", null);
    if (names !== undefined) found = found.where(sql<boolean>`name = any(${names})`);
    if (name !== undefined) found = found.where("name", "=", name);
    if (source !== undefined) found = found.where("source", "=", source);
    return found;
  },
  { name: "", names: [], source: "" },
);

/** The newest first, and how many there are in all. */
export async function listAlarms(db: Database, filters: AlarmFilters, limit: number) {
  const rows = await selectAlarms(db, filters, limit).execute();
  const items = rows.map(({ total: _, now, ...row }) => {
    const alarm = { ...row, name: row.name as AlarmName };
    return { ...alarm, ...describeAlarm({ ...alarm, now: row.clearedAt ?? now }) };
  });
  return { total: rows[0]?.total ?? 0, items };
}

const selectGroups = query((db) =>
  db
    .selectFrom("alarm")
    .select(({ fn }) => ["name", fn.countAll<number>().as("count")])
    .select(typed(nullable(returned.text()), sql`case when count(*) = 1 then min(source) end`).as("source"))
    .select(typed(nullable(returned.text()), sql`case when count(*) = 1 then min(subject) end`).as("subject"))
    .select(typed(returned.time, sql`min(raised_at)`).as("oldestAt"))
    .select(typed(returned.time, sql`max(last_raised_at)`).as("newestAt"))
    .where("cleared_at", "is", null)
    .groupBy("name"),
);

/** A line for each name: by severity, the gravest first, then as they are defined. @param now by Postgres' clock. */
export async function groupOpenAlarms(db: Database, now: Date) {
  const rows = await selectGroups(db).execute();
  const groups = rows.map(({ source, ...row }) => {
    const name = row.name as AlarmName;
    const about = source === null || row.subject === null ? null : { source, subject: row.subject };
    return {
      ...row,
      name,
      title: titleOf(name, row.count),
      severity: severityOf(name, row.oldestAt, now),
      action: ALARMS[name].action,
      remedy: remedyOf(name, about),
    };
  });
  return groups.sort((one, other) => rank(one) - rank(other));
}

const rank = ({ severity, name }: { severity: Severity; name: AlarmName }): number =>
  (severity === "critical" ? 0 : ALARM_NAMES.length) + ALARM_NAMES.indexOf(name);

const countOpen = query((db) =>
  db
    .selectFrom("alarm")
    .select(({ fn }) => ["name", fn.countAll<number>().as("count")])
    .where("cleared_at", "is", null)
    .groupBy("name")
    .orderBy("name"),
);

export async function countOpenAlarms(db: Database): Promise<{ name: AlarmName; count: number }[]> {
  const rows = await countOpen(db).execute();
  return rows.map(({ name, count }) => ({ name: name as AlarmName, count }));
}

/** The open alarms that a person selects: all of a name, unless a source or subject is named. */
export interface SelectedAlarms {
  name: AlarmName;
  source?: string | undefined;
  subject?: string | undefined;
}

const SELECTED: Columns<SelectedAlarms> = {
  name: text(({ name }) => name),
  source: text(({ source = null }) => source),
  subject: text(({ subject = null }) => subject),
};

const selectMatching = query(
  (db, selected: readonly SelectedAlarms[]) =>
    db
      .selectFrom("alarm")
      .select(["id", "name", "source", "subject"])
      .where("cleared_at", "is", null)
      .where(sql<boolean>`exists (select from ${tableOf("selected", SELECTED, selected)}
        where selected.name = alarm.name and coalesce(selected.source, alarm.source) = alarm.source
          and coalesce(selected.subject, alarm.subject) = alarm.subject)`)
      .orderBy("id")
      .forUpdate(),
  [],
);

/** The selected alarms that are open, locked until the transaction's end. */
export async function listOpenAlarms(
  trx: Database,
  selected: readonly SelectedAlarms[],
): Promise<(EndedAlarm & { id: number })[]> {
  const rows = await selectMatching(trx, selected).execute();
  return rows.map(({ name, ...alarm }) => ({ ...alarm, name: name as AlarmName }));
}
