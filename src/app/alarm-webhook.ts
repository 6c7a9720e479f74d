import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import type { Alarm } from "../alarms/alarms.ts";
import { claimUntoldAlarms, markAlarmsTold, putTellingOff, TELLING_WAITS } from "../alarms/untold-alarms.ts";
import type { Tables } from "../database/tables.ts";
import { backOffMs } from "../kit/back-off.ts";
import { messageOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import type { Secret } from "../kit/secret.ts";
import type { Settings } from "../kit/settings.ts";
import { step } from "../kit/step.ts";
import type { Lease } from "../work/lease.ts";
import { alarmBody, type ToldAlarm, webhookHeaders } from "./alarm-message.ts";
import type { Pass } from "./pass.ts";

export interface AlarmWebhookOptions {
  url: Secret;
  secrets: readonly Secret[];
  runbookUrl: string | undefined;
  /** The longest one message may take, in ms. */
  timeoutMs: number;
  metrics: Metrics;
}

/** Where people are told of alarms. */
export class AlarmWebhook {
  readonly #options: AlarmWebhookOptions;

  constructor(options: AlarmWebhookOptions) {
    this.#options = options;
  }

  /**
   * Tells them in one message. @returns what went wrong, without the URL, which is a secret; null when it was
   * taken.
   */
  async tell(alarms: readonly ToldAlarm[], stop?: AbortSignal): Promise<string | null> {
    const { url, secrets, runbookUrl, timeoutMs, metrics } = this.#options;
    const body = alarmBody(alarms, runbookUrl);
    const id = `alarms_${createHash("sha256").update(body).digest("hex").slice(0, 32)}`;
    const late = AbortSignal.timeout(timeoutMs);
    const problem = await post(url.reveal(), {
      headers: webhookHeaders(id, body, secrets, new Date()),
      body,
      signal: stop === undefined ? late : AbortSignal.any([late, stop]),
    });
    metrics.alarmWebhook.inc({ outcome: problem === null ? "taken" : "failed" });
    return problem;
  }
}

async function post(url: string, request: RequestInit): Promise<string | null> {
  try {
    const answer = await fetch(url, { method: "POST", redirect: "manual", ...request });
    await answer.body?.cancel();
    return answer.ok ? null : `it answered ${answer.status}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return messageOf(cause).replaceAll(url, "[secret]");
  }
}

/** null without ALARM_WEBHOOK_URL. */
export function alarmWebhookOf(settings: Settings, metrics: Metrics): AlarmWebhook | null {
  const { ALARM_WEBHOOK_URL: url, ALARM_WEBHOOK_SECRETS: secrets = [], RUNBOOK_URL: runbookUrl } = settings;
  // Well within the lease, so that no other process tells of the same alarms.
  const timeoutMs = Math.min(MOST_MS, settings.LEASE_DURATION / 2);
  return url === undefined ? null : new AlarmWebhook({ url, secrets, runbookUrl, timeoutMs, metrics });
}

const MOST_MS = 10_000;

/** Tells people of one open alarm, and says whether they were told; null where there is no webhook. */
export const tellingOne = (webhook: AlarmWebhook | null) =>
  webhook &&
  (async (alarm: Alarm & { raisedAt: Date }): Promise<boolean> =>
    (await webhook.tell([{ ...alarm, times: 1, clearedAt: null }])) === null);

interface TellAlarmsOptions {
  db: Kysely<Tables>;
  webhook: AlarmWebhook | null;
  lease: Lease;
  log: Logger;
}

/** Between two messages, of all processes together: alarms that come together are told together. */
const MESSAGE_EVERY_MS = TELLING_WAITS.betweenMs;

/** The most alarms of one message. */
const MOST_AT_ONCE = 500;

const BACK_OFF = { firstMs: 5_000, capMs: TELLING_WAITS.afterFailureMs };

/**
 * Tells people of alarms that begin and end, from their rows, at least once: if a process dies between
 * claiming and telling, another one tells of them. Nothing else waits for it.
 */
export function tellAlarmsPass({ db, webhook, lease, log }: TellAlarmsOptions): Pass {
  if (webhook === null) return async () => null;
  return async (stop) => {
    const untold = await claimUntoldAlarms(db, { most: MOST_AT_ONCE, lease });
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
