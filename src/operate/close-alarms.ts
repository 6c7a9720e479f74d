import { closeAlarms, type EndedAlarm } from "../alarms/alarms.ts";
import { audit, type ByHand } from "../alarms/audit.ts";
import { listOpenAlarms } from "../alarms/list-alarms.ts";

export interface CloseAlarms extends ByHand {
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
