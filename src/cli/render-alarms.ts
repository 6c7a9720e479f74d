import { clock } from "../kit/time.ts";
import type { ResultOf } from "./operation-command.ts";
import { plainText } from "./terminal-text.ts";

/** Each alarm: since when it is open, its name, its detail, and what to do. */
export function renderAlarms(alarms: ResultOf<"listAlarms">["items"]): string {
  return alarms
    .map(({ name, source, subject, detail, raisedAt, clearedAt, times, action }) => {
      const about = [source === "" ? null : `source ${source}`, subject === source ? null : subject];
      const often = times > 1 ? `, ${times.toLocaleString("en-US")} times` : "";
      const until = clearedAt === null ? "" : ` to ${clock(clearedAt)}`;
      return [
        `  ${name}  ${about.filter((part) => part !== null && part !== "").join(", ")}`,
        `    ${clearedAt === null ? "since " : ""}${clock(raisedAt)}${until}${often}: ${detail}`,
        ...(clearedAt === null ? [`    ${action}`] : []),
      ]
        .map((line) => plainText(line))
        .join("\n");
    })
    .join("\n");
}
