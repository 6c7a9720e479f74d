import { createHmac } from "node:crypto";
import type { KnownAlarm } from "../alarms/list-alarms.ts";
import type { Secret } from "../kit/secret.ts";

/** An alarm as people are told of it. */
export type ToldAlarm = Omit<KnownAlarm, "lastRaisedAt">;

/** How many alarms the text spells out; the rest are counted by name. `alarms` beside it holds them all. */
const MOST_SPELLED_OUT = 20;

/**
 * The link to an alarm's heading in the runbook. @param runbookUrl where docs/operations.md can be read, if
 * that is set.
 */
const runbookLink = (name: string, runbookUrl = "docs/operations.md"): string => `${runbookUrl}#${name}`;

/** The body for Slack and whatever else reads `text`; programs find the same in `alarms`. */
export function alarmBody(alarms: readonly ToldAlarm[], runbookUrl?: string): string {
  const spelledOut = alarms.slice(0, MOST_SPELLED_OUT);
  const rest = new Map<string, number>();
  for (const { name } of alarms.slice(MOST_SPELLED_OUT)) rest.set(name, (rest.get(name) ?? 0) + 1);
  const lines = [
    ...spelledOut.map((alarm) => lineOf(alarm, runbookUrl)),
    ...[...rest].map(([name, count]) => `and ${count} more: ${name} (${runbookLink(name, runbookUrl)})`),
  ];
  return JSON.stringify({
    text: lines.join("\n"),
    alarms: alarms.map((alarm) => ({ ...alarm, runbook: runbookLink(alarm.name, runbookUrl) })),
  });
}

function lineOf({ name, source, subject, detail, clearedAt }: ToldAlarm, runbookUrl?: string): string {
  const about = [...new Set([source, subject])].filter((word) => word !== "").join(", ");
  const what = forSlack(`${name} (${about})`);
  return clearedAt === null
    ? `ALARM ${what}: ${forSlack(detail)} What to do: ${runbookLink(name, runbookUrl)}`
    : `over: ${what}`;
}

/** Slack reads `<!channel>` and `<url|words>` in a text; an upstream's error must not call everyone. */
const forSlack = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/**
 * The headers of the Standard Webhooks specification; without secrets all but the signature.
 * @param id the same for each try of one message.
 */
export function webhookHeaders(
  id: string,
  body: string,
  secrets: readonly Secret[],
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.reveal().slice("whsec_".length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(signatures.length === 0 ? {} : { "webhook-signature": signatures.join(" ") }),
  };
}
