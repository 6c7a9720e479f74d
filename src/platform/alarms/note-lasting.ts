import { sql } from "kysely";
import { type Database, returned, type Slots, Statement } from "../database/index.ts";

import {
  ALARM,
  type Alarm,
  type AlarmName,
  type Alarms,
  clearAlarms,
  ENDED_ALARMS,
  raiseLasting,
} from "./alarms.ts";

/** One that stays open is raised no more for so long. */
const AGAIN_MS = 86_400_000;

const insertLasting = new Statement(
  { ...ENDED_ALARMS, detail: returned.text() },
  ({ table }: Slots<readonly Alarm[]>) => sql`
    ${raiseLasting(sql`select * from ${table("given", ALARM, (alarms) => alarms)}`, AGAIN_MS)}
    returning name, source, subject, detail`,
);

const closeOthers = new Statement(
  ENDED_ALARMS,
  ({ value }: Slots<{ name: AlarmName; subjects: readonly string[] }>) => sql`
    ${clearAlarms(sql`name = ${value(({ name }) => name)}
      and subject <> all(${value(({ subjects }) => subjects)}::text[])`)}
    returning name, source, subject`,
);

/**
 * What is looked at again and again: raises an alarm of what lasts now, and closes the others of that name.
 * @param mayClose false for who may have no right to end an alarm.
 * @returns those that it raised.
 */
export async function noteLasting(
  { db, alarms }: { db: Database; alarms: Alarms },
  name: AlarmName,
  lasting: readonly Omit<Alarm, "name">[],
  { mayClose }: { mayClose: boolean },
): Promise<readonly Alarm[]> {
  const given = lasting.map((alarm): Alarm => ({ ...alarm, name }));
  const raised = given.length === 0 ? [] : await insertLasting.execute(db, given);
  alarms.notify(raised);
  const subjects = lasting.map(({ subject }) => subject);
  if (mayClose) alarms.notifyCleared(await closeOthers.execute(db, { name, subjects }));
  return raised;
}
