import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import { claimUntoldAlarms, markAlarmsTold, putTellingOff } from "../database/untold-alarms.ts";
import { backOffMs } from "../kit/back-off.ts";
import type { Logger } from "../kit/log.ts";
import { step } from "../kit/step.ts";
import type { AlarmWebhook } from "./alarm-webhook.ts";
import type { Pass } from "./pass.ts";

export interface TellAlarmsOptions {
  db: Kysely<Tables>;
  webhook: AlarmWebhook | null;
  leaseMs: number;
  log: Logger;
}

/**
 * The shortest time between two messages, of all processes together, in ms: alarms that come together are
 * told together.
 */
const MESSAGE_EVERY_MS = 5_000;

/** The most alarms of one message. */
const MOST_AT_ONCE = 500;

const BACK_OFF = { firstMs: 5_000, capMs: 300_000 };

/**
 * Tells people of alarms that begin and end, from their rows, at least once: if a process dies between
 * claiming and telling, another one tells of them. Nothing else waits for it.
 */
export function tellAlarmsPass({ db, webhook, leaseMs, log }: TellAlarmsOptions): Pass {
  if (webhook === null) return async () => null;
  return async (stop) => {
    const untold = await claimUntoldAlarms(db, { most: MOST_AT_ONCE, leaseMs });
    if (untold === null) return null;
    step("alarms claimed");
    const problem = await webhook.tell(
      untold.alarms.map(({ id: _, ...alarm }) => alarm),
      stop,
    );
    if (problem === null) {
      step("alarms told");
      await markAlarmsTold(db, untold.alarms, MESSAGE_EVERY_MS);
      step("alarms marked as told");
      return MESSAGE_EVERY_MS;
    }
    const failures = untold.failures + 1;
    const waitMs = backOffMs(failures, BACK_OFF);
    await putTellingOff(db, waitMs);
    log.warn(
      { alarms: untold.alarms.length, failures, error: problem },
      "nobody could be told of alarms; tried again",
    );
    return waitMs;
  };
}
