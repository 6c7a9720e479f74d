import { type RawBuilder, sql, type Transaction } from "kysely";
import {
  ALARMS,
  alarmsAbout,
  clearAlarms,
  closeAlarms,
  ENDED_ALARMS,
  listOpenAlarms,
  noteAlarms,
  type SelectedAlarms,
  snoozeAlarms,
} from "../platform/alarms/index.ts";
import { audit, type ByHand } from "../platform/audit/index.ts";
import {
  type Database,
  databaseTime,
  type Slots,
  Statement,
  type Tables,
} from "../platform/database/index.ts";
import { usageError } from "../platform/errors/index.ts";
import { isUuid } from "../platform/values/index.ts";
import { type Served, servedByAny } from "../platform/worker/index.ts";

interface GivenAlarms extends ByHand {
  /** All open ones of a name, unless a source or subject is named. */
  alarms: readonly SelectedAlarms[];
}

const changeByHand = (
  { db, actor, alarms, reason }: GivenAlarms,
  action: string,
  said: Record<string, unknown>,
  change: (trx: Transaction<Tables>, open: Awaited<ReturnType<typeof listOpenAlarms>>) => Promise<unknown>,
): Promise<{ count: number }> =>
  db.transaction().execute(async (trx) => {
    const open = await listOpenAlarms(trx, alarms);
    await change(trx, open);
    await audit(
      trx,
      open.map(({ name, source, subject }) => ({
        actor,
        action,
        subject,
        invoiceId: ALARMS[name].about === "invoice" && isUuid(subject) ? subject : null,
        detail: { name, source, ...said },
        reason,
      })),
    );
    return { count: open.length };
  });

/** Closes open alarms that a person has dealt with. If the cause remains or comes back, they are raised again. */
export const closeAlarmsByHand = (given: GivenAlarms) =>
  changeByHand(given, "alarm.close", {}, async (trx, open) => {
    for (const name of new Set(open.map((alarm) => alarm.name)))
      await closeAlarms(
        trx,
        [name],
        open.filter((alarm) => alarm.name === name),
      );
  });

/**
 * Silences open alarms until `until`: they stay open and are counted, and alarms that are still open then notify
 * again.
 * @throws RelayError when `until` is not ahead.
 */
export async function snoozeAlarmsByHand({ until, ...given }: GivenAlarms & { until: Date }) {
  if (until <= (await databaseTime(given.db)))
    throw usageError(`An alarm is snoozed until a time that is ahead, not until ${until.toISOString()}.`);
  return await changeByHand(given, "alarm.snooze", { until }, (trx, open) =>
    snoozeAlarms(
      trx,
      open.map(({ id }) => id),
      until,
    ),
  );
}

/** Notes who sees to open alarms, or what was found out; an empty note takes it away. */
export const noteAlarmsByHand = ({ note, ...given }: GivenAlarms & { note: string }) =>
  changeByHand(given, "alarm.note", { note }, (trx, open) =>
    noteAlarms(
      trx,
      open.map(({ id }) => id),
      note,
    ),
  );

const closeRemoved = new Statement(ENDED_ALARMS, ({ value }: Slots<Served>) => {
  const named = (condition: RawBuilder<unknown>) => sql`
    exists (select from ${servedByAny(value((mine) => JSON.stringify(mine)))} as process where ${condition})`;
  return sql`
    ${clearAlarms(sql`
      name = any(${alarmsAbout("upstream")}::text[])
        and not ${named(sql`serves->'sources' ? alarm.subject or serves->'topics' ? alarm.subject`)}
      or name = any(${alarmsAbout("collection")}::text[])
        and not ${named(sql`serves->'sources'->alarm.source ? alarm.subject`)}
      or name = any(${alarmsAbout("certificate")}::text[])
        and not ${named(sql`serves->'sources'->alarm.source <> '[]'`)}`)}
    returning name, source, subject`;
});

/**
 * Closes the open alarms of sources, topics and lists that the settings of no process name any more. During a
 * deploy processes know different ones, so the settings of all processes decide.
 * @param mine what this process serves
 * @returns the closed alarms.
 */
export const closeAlarmsOfRemoved = (db: Database, mine: Served) => closeRemoved.execute(db, mine);
