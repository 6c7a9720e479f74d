import type { Kysely } from "kysely";
import { type AlarmName, closeAlarms } from "../database/alarms.ts";
import { audit } from "../database/audit.ts";
import { listOpenAlarms } from "../database/list-alarms.ts";
import type { Tables } from "../database/tables.ts";

/** Identifies an alarm: at most one of each is open. */
export interface AlarmKey {
  name: AlarmName;
  source: string;
  subject: string;
}

export interface CloseAlarms {
  db: Kysely<Tables>;
  actor: string;
  alarms: readonly AlarmKey[];
  /** Why, for the audit log; no personal data. */
  reason?: string | undefined;
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
