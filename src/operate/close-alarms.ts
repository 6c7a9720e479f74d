import { type Kysely, type RawBuilder, sql } from "kysely";
import { alarmsAbout } from "../alarms/alarm-definitions.ts";
import { clearAlarms, closeAlarms, ENDED_ALARMS, type EndedAlarm } from "../alarms/alarms.ts";
import { audit, type ByHand } from "../alarms/audit.ts";
import { listOpenAlarms } from "../alarms/list-alarms.ts";
import { type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { type Served, servedByAny } from "../work/relay-process.ts";

interface CloseAlarms extends ByHand {
  alarms: readonly EndedAlarm[];
}

/**
 * Closes open alarms that a person has dealt with. If the cause remains or comes back, they are raised again.
 * @returns how many were open.
 */
export async function closeAlarmsByHand({
  db,
  actor,
  alarms,
  reason,
}: CloseAlarms): Promise<{ count: number }> {
  return await db.transaction().execute(async (trx) => {
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
        invoiceId: name === "invoice_anomaly" ? subject : null,
        detail: { name, source },
        reason,
      })),
    );
    return { count: open.length };
  });
}

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
 * Closes the open alarms of sources, topics and lists that the settings of no process name any more: nobody
 * needs to see to them. During a deploy processes know different ones, so one's own settings do not decide.
 * @param mine what this process serves
 * @returns those that it closed.
 */
export const closeAlarmsOfRemoved = (db: Kysely<Tables>, mine: Served) => closeRemoved.execute(db, mine);
