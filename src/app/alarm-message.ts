import { describeAlarm, type Severity, titleOf } from "../alarms/alarm-definitions.ts";
import type { AlarmToNotify } from "../alarms/alarms-to-notify.ts";
import type { Settings } from "../kit/settings.ts";

export type AlarmNews = Omit<AlarmToNotify, "id"> & {
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
  const told = worstFirst(alarms);
  const rest = new Map<AlarmNews["name"], number>();
  for (const { name } of told.slice(TEXT_LIMIT)) rest.set(name, (rest.get(name) ?? 0) + 1);
  const lines = [
    ...told.slice(0, TEXT_LIMIT).map((alarm) => lineOf(alarm, settings)),
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

/** One of each name before a second, the critical ones first: many of one name bury no other. */
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

/** How urgent, what, where, why, what to do about it, and where that is done. */
function lineOf(alarm: AlarmNews, settings: MessageSettings): string {
  const { name, source, subject, detail, clearedAt, note, isTest } = alarm;
  if (isTest) return `TEST of the alarm webhook of invoice-relay: ${outside(detail, LIMITS.detail)}`;
  const about = [...new Set([source, subject])].filter((word) => word !== "").join(", ");
  const { title, severity, action } = describeAlarm({ ...alarm, now: clearedAt ?? alarm.at });
  const what = `${title} (${name}: ${outside(about, LIMITS.about)})`;
  if (clearedAt !== null) return `OVER: ${what}`;
  const why = outside(detail, LIMITS.detail);
  const todo = outside(action, LIMITS.action);
  const noted = note === null ? "" : ` Note: ${outside(note, LIMITS.note)}`;
  return `${urgency(alarm, severity)}: ${what}. ${why} What to do: ${todo}${noted} ${whereTo(name, settings)}`;
}

const urgency = ({ toldAt }: AlarmNews, severity: Severity): string =>
  toldAt === null ? severity.toUpperCase() : `STILL OPEN, ${severity.toUpperCase()}`;

function whereTo(name: AlarmNews["name"], settings: MessageSettings): string {
  const link = linkOf(name, settings);
  if (link === undefined) return `Run: invoice-relay alarms --name ${name}`;
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
const LIMITS = { about: 250, detail: 700, action: 600, note: 200 };

const ESCAPED: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Slack reads `<!channel>` and `<url|words>`: an upstream's error must not call everyone nor look like an alarm. */
function outside(text: string, most: number): string {
  let said = "";
  for (const sign of text.toWellFormed().replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ")) {
    const next = ESCAPED[sign] ?? sign;
    if (said.length + next.length >= most) return `${said}…`;
    said += next;
  }
  return said;
}
