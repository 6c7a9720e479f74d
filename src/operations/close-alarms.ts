import { type RawBuilder, sql } from "kysely";
import {
  ALARMS,
  alarmsAbout,
  clearAlarms,
  closeAlarms,
  ENDED_ALARMS,
  listOpenAlarms,
  type SelectedAlarms,
} from "../platform/alarms/index.ts";
import { audit, type ByHand } from "../platform/audit/index.ts";
import { type Database, type Slots, Statement } from "../platform/database/index.ts";
import { isUuid } from "../platform/values/index.ts";
import { type Served, servedByAny } from "../platform/worker/index.ts";

interface GivenAlarms extends ByHand {
  /** All open ones of a name, unless a source or subject is named. */
  alarms: readonly SelectedAlarms[];
}

/** Closes open alarms that a person has dealt with. If the cause remains or comes back, they are raised again. */
export const closeAlarmsByHand = ({ db, actor, alarms, reason }: GivenAlarms): Promise<{ count: number }> =>
  db.transaction().execute(async (trx) => {
    const open = await listOpenAlarms(trx, alarms);
    for (const name of new Set(open.map((alarm) => alarm.name)))
      await closeAlarms(
        trx,
        [name],
        open.filter((alarm) => alarm.name === name),
      );
    await audit(
      trx,
      open.map(({ name, source, subject }) => ({
        actor,
        action: "alarm.close",
        subject,
        invoiceId: ALARMS[name].about === "invoice" && isUuid(subject) ? subject : null,
        detail: { name, source },
        reason,
      })),
    );
    return { count: open.length };
  });

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
