import { createHash } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { Alarm } from "../alarms/alarms.ts";
import {
  claimAlarmsToNotify,
  delayNotifying,
  markAlarmsNotified,
  NOTIFYING_WAITS,
} from "../alarms/alarms-to-notify.ts";
import { messageOf, RelayError } from "../kit/errors.ts";
import { quietText } from "../kit/mask.ts";
import type { Metrics } from "../kit/metrics.ts";
import type { Secret } from "../kit/secret.ts";
import type { Settings } from "../kit/settings.ts";
import { step } from "../kit/step.ts";
import { backOffMs } from "../kit/waiting.ts";
import { type AlarmNews, alarmBody } from "./alarm-message.ts";
import type { Pass, PassContext } from "./pass.ts";

/** The longest that one message may take, in ms. */
const TIMEOUT_MS = 10_000;

const NEW = { times: 1, clearedAt: null, toldAt: null, note: null } as const;

/** Where people are notified of alarms; null without ALARM_WEBHOOK_URL. */
export function alarmWebhook(settings: Settings, metrics: Metrics) {
  const { ALARM_WEBHOOK_URL: url, ALARM_WEBHOOK_SECRETS: secrets = [], LEASE_DURATION } = settings;
  if (url === undefined) return null;
  /** One message. @returns what went wrong, without the URL, which is a secret; null when it was taken. */
  const notify = async (alarms: readonly AlarmNews[], stop?: AbortSignal): Promise<string | null> => {
    const body = alarmBody(alarms, settings);
    // Well within the lease, so that no other process notifies of the same alarms.
    const late = AbortSignal.timeout(Math.min(TIMEOUT_MS, LEASE_DURATION / 2));
    const problem = await post(url.reveal(), {
      headers: webhookHeaders(body, secrets, new Date()),
      body,
      signal: stop === undefined ? late : AbortSignal.any([late, stop]),
    });
    metrics.alarmWebhook.inc({ outcome: problem === null ? "taken" : "failed" });
    return problem;
  };
  return {
    notify,
    /** Notifies people of one alarm that has no row yet. @returns whether it was taken. */
    notifyOfNew: async (alarm: Alarm & { raisedAt: Date }): Promise<boolean> =>
      (await notify([{ ...NEW, ...alarm, at: new Date() }])) === null,
    /** Sends a message that says it is a test. @returns as `notify`. */
    test: (): Promise<string | null> => {
      const [at, detail] = [new Date(), "This is a test by a person; nothing is wrong."];
      const about = { name: "silent_process", source: "", subject: "test", detail } as const;
      return notify([{ ...NEW, ...about, at, raisedAt: at, isTest: true }]);
    },
  };
}

/** Tries the webhook of these settings. @returns what went wrong. @throws RelayError when there is none. */
export async function tryWebhook(settings: Settings, metrics: Metrics): Promise<string | null> {
  const webhook = alarmWebhook(settings, metrics);
  if (webhook === null)
    throw new RelayError(
      "Nobody is told of alarms: ALARM_WEBHOOK_URL is not set. Set it to where people read messages.",
      { code: "settings" },
    );
  return await webhook.test();
}

async function post(url: string, request: RequestInit): Promise<string | null> {
  try {
    const answer = await fetch(url, { method: "POST", redirect: "manual", ...request });
    if (!answer.ok) return `it answered ${answer.status}${await beginningOf(answer, url)}`;
    await answer.body?.cancel();
    return null;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return messageOf(cause).replaceAll(url, "[secret]");
  }
}

/** In characters: why a receiver refuses stands at the beginning of its answer. */
const QUOTED = 200;

/** The beginning of an answer in quotes, its secrets masked; nothing where there is none. */
async function beginningOf({ body }: Response, url: string): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > 4 * QUOTED) break;
  }
  const said = quietText(text.replaceAll(url, "[secret]")).replaceAll(/\s+/g, " ").trim();
  return said === "" ? "" : `: ${JSON.stringify(said.slice(0, QUOTED))}`;
}

/** As Standard Webhooks has them; the signature only with secrets. Each try of a message has the same id. */
function webhookHeaders(body: string, secrets: readonly Secret[], now: Date): Record<string, string> {
  const id = `alarms_${createHash("sha256").update(body).digest("hex").slice(0, 32)}`;
  const signatures = secrets.map((secret) => new Webhook(secret.reveal()).sign(id, now, body));
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
    ...(signatures.length === 0 ? {} : { "webhook-signature": signatures.join(" ") }),
  };
}

const MESSAGE_LIMIT = 500;

const BACK_OFF = { firstMs: 5_000, capMs: NOTIFYING_WAITS.afterFailureMs };

/**
 * Notifies people of alarms that begin and end, from their rows, at least once: if a process dies between
 * claiming and notifying, another one takes them. Alarms that come together share a message. Nothing else
 * waits for it.
 */
export function notifyPeoplePass(
  { db, lease, log }: Pick<PassContext, "db" | "lease" | "log">,
  webhook: ReturnType<typeof alarmWebhook>,
): Pass {
  if (webhook === null) return async () => null;
  return async (stop) => {
    const pending = await claimAlarmsToNotify(db, { most: MESSAGE_LIMIT, lease });
    if (pending === null) return null;
    step("alarms claimed");
    // Not taken twice, they may be too many for whoever takes them: then fewer, and another part at each try, since
    // one may be refused even alone.
    const size = Math.max(1, Math.ceil(pending.alarms.length / 2 ** Math.max(0, pending.failures - 1)));
    const from = size * (pending.failures % Math.ceil(pending.alarms.length / size));
    const told = pending.alarms.slice(from, from + size);
    const problem = await webhook.notify(
      told.map(({ id: _, ...alarm }) => alarm),
      stop,
    );
    if (problem === null) {
      step("alarms told");
      await markAlarmsNotified(db, told, NOTIFYING_WAITS.betweenMs);
      step("alarms marked as told");
      return NOTIFYING_WAITS.betweenMs;
    }
    const failures = pending.failures + 1;
    const waitMs = backOffMs(failures, BACK_OFF);
    await delayNotifying(db, waitMs);
    log.warn(
      { alarms: told.length, failures, error: problem },
      "nobody could be told of alarms; tried again",
    );
    return waitMs;
  };
}
