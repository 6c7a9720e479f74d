import { type Command, Option } from "commander";
import { z } from "zod";
import { usageError } from "../../kit/errors.ts";
import { numberOf, plainText } from "../../kit/text.ts";
import { clock } from "../../kit/time.ts";
import { name } from "../../operate/operations/fields.ts";
import { readValue } from "../../operate/operations/operation.ts";
import { recordOperations } from "../../operate/operations/records.ts";
import { alarmOperations } from "../../operate/operations/upstreams.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand, type ResultOf } from "../operation-command.ts";
import { noneText, timeAfter, timeValue } from "../option-values.ts";
import { table } from "../table.ts";

export const auditCommand = (context: CommandContext): Command =>
  operationCommand(context, recordOperations, "readAuditLog", {
    name: "audit",
    options: {
      invoiceId: "invoice <id>",
      actor: "actor <name>",
      subject: "subject <name>",
      before: "before <entry>",
    },
    text: ({ entries }, given) =>
      entries.length === 0
        ? noneText(
            given,
            "Nothing has been changed by hand.",
            "Nothing in the audit log matches these filters. Without them, invoice-relay audit shows who " +
              "changed what.",
          )
        : table(entries, {
            at: "at",
            who: "actor",
            what: "action",
            which: "subject",
            why: ({ detail: { reason } }) => (typeof reason === "string" ? reason : null),
          }),
  });

export const alarmsCommand = (context: CommandContext): Command =>
  operationCommand(context, alarmOperations, "listAlarms", {
    name: "alarms",
    options: { name: "name <alarm>" },
    text({ total, items }, { all, ...filters }) {
      const none = all === undefined ? "No alarm is open." : "No alarm was ever raised.";
      if (total === 0) return noneText(filters, none, "No alarm matches these filters.");
      const more = total > items.length ? `\n\n${total - items.length} more; see --limit.` : "";
      return `${renderAlarms(items)}${more}`;
    },
  })
    .addCommand(changeAlarms(context, "closeAlarms", "close", "closed; what lasts is raised again"))
    .addCommand(
      changeAlarms(context, "snoozeAlarms", "snooze", "snoozed; what lasts then is told again", withUntil),
    )
    .addCommand(
      changeAlarms(context, "noteAlarms", "note", "noted", (command) =>
        command.requiredOption("--note <text>", "what to note; empty takes it away; no personal data"),
      ),
    )
    .addCommand(
      operationCommand(context, alarmOperations, "testAlarms", {
        name: "test",
        text: ({ problem }) =>
          problem === null
            ? "ALARM_WEBHOOK_URL took a test message."
            : `ALARM_WEBHOOK_URL took no message: ${problem}.`,
        judge: ({ taken }) => !taken && context.fault(),
      }),
    );

const withUntil = (command: Command): Command =>
  command
    .option("--until <time>", "when it is told again", timeValue)
    .addOption(
      new Option("--for <duration>", "for so long, such as 30m or 2h")
        .argParser(timeAfter)
        .conflicts("until"),
    );

const which = z.object({ source: name().optional(), subject: name(1_000).optional() });

function changeAlarms(
  context: CommandContext,
  id: "closeAlarms" | "snoozeAlarms" | "noteAlarms",
  verb: string,
  done: string,
  extend = (command: Command) => command,
): Command {
  return operationCommand(context, alarmOperations, id, {
    name: verb,
    without: ["alarms", "until", "note"],
    extend: (made) =>
      extend(
        made
          .argument("<alarm>", "its name, such as pause_standing")
          .option("--source <name>", "only this source's")
          .option("--subject <name>", "only the one about this, as alarms lists it"),
      ),
    input({ source, subject, for: end, until = end, ...given }, [alarm]) {
      if (id === "snoozeAlarms" && until === undefined)
        throw usageError("Say until when: --for 2h, or --until 2026-11-01T08:30.");
      return { ...given, alarms: [{ name: alarm, ...readValue(which, { source, subject }) }], until };
    },
    text: ({ count }) =>
      count === 0
        ? "No such alarm is open: nothing was changed. invoice-relay alarms lists those that are."
        : `${numberOf(count, "alarm")} ${done}.`,
    judge: ({ count }) => count === 0 && context.notFound(),
  });
}

function renderAlarms(alarms: ResultOf<"listAlarms">["items"]): string {
  return alarms
    .map(({ name, severity, source, subject, detail, raisedAt, clearedAt, times, action, ...alarm }) => {
      const about = [source === "" ? null : `source ${source}`, subject === source ? null : subject];
      const often = times > 1 ? `, ${times.toLocaleString("en-US")} times` : "";
      const until = clearedAt === null ? "" : ` to ${clock(clearedAt)}`;
      return [
        `  ${name}  ${severity}, ${about.filter((part) => part !== null && part !== "").join(", ")}`,
        `    ${clearedAt === null ? "since " : ""}${clock(raisedAt)}${until}${often}: ${detail}`,
        ...(clearedAt === null ? [`    ${action}`] : []),
        ...(alarm.snoozedUntil === null ? [] : [`    snoozed until ${clock(alarm.snoozedUntil)}`]),
        ...(alarm.note === null ? [] : [`    note: ${alarm.note}`]),
      ]
        .map((line) => plainText(line))
        .join("\n");
    })
    .join("\n");
}
