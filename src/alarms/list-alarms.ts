import { type Kysely, sql } from "kysely";
import { typed } from "../database/expressions.ts";
import { returned } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { type AlarmName, type DescribedAlarm, describeAlarm } from "./alarm-definitions.ts";
import type { Alarm, EndedAlarm } from "./alarms.ts";

/** An alarm as a person reads it. */
export interface KnownAlarm extends Alarm, DescribedAlarm {
  raisedAt: Date;
  lastRaisedAt: Date;
  /** null while it is open. */
  clearedAt: Date | null;
  times: number;
}

export interface AlarmFilters {
  /** Cleared ones too. */
  all?: boolean | undefined;
  name?: string | undefined;
  source?: string | undefined;
}

/** The newest first, and how many there are in all. */
export async function listAlarms(
  db: Kysely<Tables>,
  { all = false, name, source }: AlarmFilters,
  limit: number,
): Promise<{ total: number; items: KnownAlarm[] }> {
  let query = db
    .selectFrom("alarm")
    .select(["name", "source", "subject", "detail", "times"])
    .select(["raised_at as raisedAt", "last_raised_at as lastRaisedAt", "cleared_at as clearedAt"])
    .select(typed(returned.count, sql`count(*) over ()`).as("total"))
    .orderBy("id", "desc")
    .limit(limit);
  if (!all) query = query.where("cleared_at", "is", null);
  if (name !== undefined) query = query.where("name", "=", name);
  if (source !== undefined) query = query.where("source", "=", source);
  const rows = await query.execute();
  const items = rows.map(({ total: _, ...row }) => {
    const alarm = { ...row, name: row.name as AlarmName };
    return { ...alarm, ...describeAlarm(alarm) };
  });
  return { total: rows[0]?.total ?? 0, items };
}

/** How many are open, by name. */
export async function countOpenAlarms(db: Kysely<Tables>): Promise<{ name: AlarmName; count: number }[]> {
  const rows = await db
    .selectFrom("alarm")
    .select(({ fn }) => ["name", fn.countAll<number>().as("count")])
    .where("cleared_at", "is", null)
    .groupBy("name")
    .orderBy("name")
    .execute();
  return rows.map(({ name, count }) => ({ name: name as AlarmName, count }));
}

/** Those of the given ones that are open, locked until the transaction's end. */
export async function listOpenAlarms(
  trx: Kysely<Tables>,
  alarms: readonly EndedAlarm[],
): Promise<EndedAlarm[]> {
  if (alarms.length === 0) return [];
  const rows = await trx
    .selectFrom("alarm")
    .select(["name", "source", "subject"])
    .where("cleared_at", "is", null)
    .where((is) =>
      is.or(
        alarms.map(({ name, source, subject }) =>
          is.and([is("name", "=", name), is("source", "=", source), is("subject", "=", subject)]),
        ),
      ),
    )
    .orderBy("id")
    .forUpdate()
    .execute();
  return rows.map(({ name, ...alarm }) => ({ ...alarm, name: name as AlarmName }));
}
