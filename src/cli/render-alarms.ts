import type { KnownAlarm } from "../alarms/list-alarms.ts";
import { clock } from "../kit/time.ts";
import { actionOf } from "../operate/alarm-actions.ts";
import { plainText } from "./terminal-text.ts";

/** Each alarm: since when it is open, its name, its detail, and what to do. */
export function renderAlarms(alarms: readonly KnownAlarm[]): string {
  return alarms
    .map((alarm) => {
      const { name, source, subject, detail, raisedAt, clearedAt, times } = alarm;
      const about = [source === "" ? null : `source ${source}`, subject === source ? null : subject];
      const often = times > 1 ? `, ${times.toLocaleString("en-US")} times` : "";
      const until = clearedAt === null ? "" : ` to ${clock(clearedAt)}`;
      return [
        `  ${name}  ${about.filter((part) => part !== null && part !== "").join(", ")}`,
        `    ${clearedAt === null ? "since " : ""}${clock(raisedAt)}${until}${often}: ${detail}`,
        ...(clearedAt === null ? [`    ${actionOf(alarm)}`] : []),
      ]
        .map((line) => plainText(line))
        .join("\n");
    })
    .join("\n");
}
