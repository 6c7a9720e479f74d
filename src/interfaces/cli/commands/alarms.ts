import { type Command, Option } from "commander";
import { z } from "zod";
import { alarmOperations, name, readValue, recordOperations } from "../../../operations/index.ts";
import { usageError } from "../../../platform/errors/index.ts";

import type { CommandContext } from "../command-context.ts";
import { operationCommand } from "../operation-command.ts";
import { timeAfter, timeValue } from "../option-values.ts";

export const auditCommand = (context: CommandContext): Command =>
  operationCommand(context, recordOperations, "readAuditLog", {
    name: "audit",
    options: { invoiceId: "invoice" },
  });

export const alarmsCommand = (context: CommandContext): Command =>
  operationCommand(context, alarmOperations, "listAlarms", {
    name: "alarms",
  })
    .addCommand(changeAlarms(context, "closeAlarms", "close"))
    .addCommand(changeAlarms(context, "snoozeAlarms", "snooze", withUntil))
    .addCommand(
      changeAlarms(context, "noteAlarms", "note", (command) =>
        command.requiredOption("--note <text>", "what to note; empty takes it away; no personal data"),
      ),
    )
    .addCommand(
      operationCommand(context, alarmOperations, "testAlarms", {
        name: "test",
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
    judge: ({ count }) => count === 0 && context.notFound(),
  });
}
