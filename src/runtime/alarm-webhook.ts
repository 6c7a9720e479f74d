import {
  type Alarm,
  type AlarmToNotify,
  claimAlarmsToNotify,
  delayNotifying,
  describeAlarm,
  markAlarmsNotified,
  NOTIFYING_WAITS,
  type Severity,
  titleOf,
} from "../platform/alarms/index.ts";
import type { Settings } from "../platform/config/index.ts";
import { commandLine, messageOf, RelayError, withCommand } from "../platform/errors/index.ts";
import type { Metrics } from "../platform/metrics/index.ts";
import { backOffMs, failpoint } from "../platform/process/index.ts";
import { quietText, sentence } from "../platform/values/index.ts";
import type { JobContext, Run } from "./job.ts";

/** The longest that one message may take, in ms. */
const TIMEOUT_MS = 10_000;

const NEW = { times: 1, clearedAt: null, toldAt: null } as const;

/** Where people are notified of alarms; null without ALARM_WEBHOOK_URL. */
export function alarmWebhook(settings: Settings, metrics: Metrics) {
  const { ALARM_WEBHOOK_URL: url, LEASE_DURATION } = settings;
  if (url === undefined) return null;
  /** Sends one message. @returns the fault, without the URL, which is a secret; null when it was taken. */
  const notify = async (alarms: readonly AlarmNews[], stop?: AbortSignal): Promise<string | null> => {
    const body = alarmBody(alarms, settings);
    // Well within the lease, so that no other process notifies of the same alarms.
    const late = AbortSignal.timeout(Math.min(TIMEOUT_MS, LEASE_DURATION / 2));
    const problem = await post(url.reveal(), {
      headers: { "content-type": "application/json" },
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

/** Tries the webhook of these settings. @returns the fault, if any. @throws RelayError when there is no webhook. */
export async function tryWebhook(settings: Settings, metrics: Metrics): Promise<string | null> {
  const webhook = alarmWebhook(settings, metrics);
  if (webhook === null)
    throw new RelayError(
      "Alarms are sent nowhere: ALARM_WEBHOOK_URL is not set. Set it to where people read messages.",
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

const MESSAGE_LIMIT = 500;

const BACK_OFF = { firstMs: 5_000, capMs: NOTIFYING_WAITS.afterFailureMs };

/**
 * Notifies people of alarms that begin and end, from their rows, at least once: if a process dies between
 * claiming and notifying, another one takes them. Alarms that come together share a message. Nothing else
 * waits for it.
 */
export function notifyPeople(
  { db, lease, log, alarms }: Pick<JobContext, "db" | "lease" | "log" | "alarms">,
  webhook: Pick<NonNullable<ReturnType<typeof alarmWebhook>>, "notify"> | null,
): Run {
  if (webhook === null) return async () => null;
  return async (stop) => {
    const pending = await claimAlarmsToNotify(db, { most: MESSAGE_LIMIT, lease });
    if (pending === null) return null;
    failpoint("alarms claimed");
    // A message that is refused may hold too many alarms for its receiver. Then fewer are sent, and another part at
    // each try, since an alarm may be refused even alone.
    const size = Math.max(1, Math.ceil(pending.alarms.length / 2 ** Math.max(0, pending.failures - 1)));
    const from = size * (pending.failures % Math.ceil(pending.alarms.length / size));
    const sent = pending.alarms.slice(from, from + size);
    const problem = await webhook.notify(
      sent.map(({ id: _, ...alarm }) => alarm),
      stop,
    );
    if (problem === null) {
      failpoint("alarms sent");
      alarms.notifyCleared(await markAlarmsNotified(db, sent, NOTIFYING_WAITS.betweenMs));
      failpoint("alarms marked as sent");
      return NOTIFYING_WAITS.betweenMs;
    }
    const failures = pending.failures + 1;
    const waitMs = backOffMs(failures, BACK_OFF);
    alarms.notify(await delayNotifying(db, { waitMs, problem }));
    log.warn({ alarms: sent.length, failures, error: problem }, "alarms could not be sent; tried again");
    return waitMs;
  };
}

type AlarmNews = Omit<AlarmToNotify, "id"> & {
  /** Sent to try the webhook; it stands for no row. */
  isTest?: true;
};

type MessageSettings = Pick<
  Settings,
  "ALARM_WEBHOOK_FORMAT" | "RUNBOOK_URL" | "PUBLIC_URL" | "OPS_PORT" | "ADMIN_TOKENS"
>;

/** How many alarms the text spells out; the rest are counted by name. */
const TEXT_LIMIT = 20;

/** A message's body. `generic`: a `text` and the same as `alarms`; `slack`: for webhooks like Slack's; `text`: no other field. */
export function alarmBody(alarms: readonly AlarmNews[], settings: MessageSettings): string {
  const ordered = worstFirst(alarms);
  const rest = new Map<AlarmNews["name"], number>();
  for (const { name } of ordered.slice(TEXT_LIMIT)) rest.set(name, (rest.get(name) ?? 0) + 1);
  const lines = [
    ...ordered.slice(0, TEXT_LIMIT).map((alarm) => lineOf(alarm, settings)),
    ...[...rest].map(([name, count]) => `and ${titleOf(name, count)} more: ${whereTo(name, settings)}`),
  ];
  const text = lines.join("\n");
  if (settings.ALARM_WEBHOOK_FORMAT === "slack")
    return JSON.stringify({
      text,
      blocks: lines.map((line) => ({
        type: "section",
        // Else Slack makes links of addresses, and calls those whom @here names.
        text: { type: "mrkdwn", text: line, verbatim: true },
      })),
    });
  if (settings.ALARM_WEBHOOK_FORMAT === "text") return JSON.stringify({ text });
  return JSON.stringify({
    text,
    alarms: alarms.map(({ at, isTest: _, ...alarm }) => ({
      ...alarm,
      ...describeAlarm({ ...alarm, now: alarm.clearedAt ?? at }),
      link: linkOf(alarm.name, settings) ?? null,
    })),
  });
}

/** The first alarm of each name before a second, the critical ones first: many alarms of one name bury no other. */
function worstFirst(alarms: readonly AlarmNews[]): AlarmNews[] {
  const counts = new Map<AlarmNews["name"], number>();
  const ranked = alarms.map((alarm) => {
    const before = counts.get(alarm.name) ?? 0;
    counts.set(alarm.name, before + 1);
    const { severity } = describeAlarm({ ...alarm, now: alarm.clearedAt ?? alarm.at });
    return { alarm, before, rank: severity === "critical" ? 0 : 1 };
  });
  ranked.sort((one, other) => one.before - other.before || one.rank - other.rank);
  return ranked.map(({ alarm }) => alarm);
}

/** The severity, name, subject and reason of an alarm, its remedy, and a link to it. */
function lineOf(alarm: AlarmNews, settings: MessageSettings): string {
  const { name, source, subject, detail, clearedAt, isTest } = alarm;
  if (isTest) return `TEST of the alarm webhook of invoice-relay: ${outside(detail, LIMITS.detail)}`;
  const about = [...new Set([source, subject])].filter((word) => word !== "").join(", ");
  const { title, severity, action, remedy } = describeAlarm({ ...alarm, now: clearedAt ?? alarm.at });
  const what = `${title} (${name}: ${outside(about, LIMITS.about)})`;
  if (clearedAt !== null) return `OVER: ${what}`;
  const why = sentence(outside(detail, LIMITS.detail));
  const todo = outside(withCommand(action, remedy), LIMITS.action);
  return `${urgency(alarm, severity)}: ${what}. ${why} To do: ${todo} ${whereTo(name, settings)}`;
}

const urgency = ({ toldAt }: AlarmNews, severity: Severity): string =>
  toldAt === null ? severity.toUpperCase() : `STILL OPEN, ${severity.toUpperCase()}`;

function whereTo(name: AlarmNews["name"], settings: MessageSettings): string {
  const link = linkOf(name, settings);
  if (link === undefined) return `Run: ${commandLine({ operation: "listAlarms", args: { name } })}`;
  return settings.ALARM_WEBHOOK_FORMAT === "slack" ? `<${link}>` : link;
}

/** The alarm's heading in the runbook, else the console if it is where callbacks are; undefined without. */
function linkOf(
  name: AlarmNews["name"],
  { RUNBOOK_URL, PUBLIC_URL, OPS_PORT, ADMIN_TOKENS = [] }: MessageSettings,
): string | undefined {
  if (RUNBOOK_URL !== undefined) return `${RUNBOOK_URL}#${name}`;
  const hasConsole = OPS_PORT === undefined && ADMIN_TOKENS.length > 0;
  return hasConsole ? new URL(`/console/attention/alarms?name=${name}`, PUBLIC_URL).href : undefined;
}

/** So that a section stays below Slack's 3,000 characters and twenty of them below its 40,000. */
const LIMITS = { about: 250, detail: 700, action: 600 };

const ESCAPED: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * Slack reads `<!channel>` and `<url
 * words>`: an upstream's error must neither call a whole channel nor look like an alarm.
 */
function outside(text: string, most: number): string {
  let said = "";
  for (const sign of text.toWellFormed().replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ")) {
    const next = ESCAPED[sign] ?? sign;
    if (said.length + next.length >= most) return `${said}…`;
    said += next;
  }
  return said;
}
