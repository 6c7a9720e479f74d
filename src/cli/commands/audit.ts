import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { operationCommand } from "../operation-command.ts";
import { table } from "../table.ts";

export const auditCommand = (context: CommandContext): Command =>
  operationCommand(context, "readAuditLog", {
    name: "audit",
    options: {
      invoiceId: "invoice <id>",
      actor: "actor <name>",
      subject: "subject <name>",
      before: "before <id>",
    },
    text: ({ entries }) =>
      entries.length === 0
        ? "Nothing has been changed by hand."
        : table(
            ["at", "who", "what", "which", "why"],
            entries.map(({ at, actor, action, subject, detail }) => [
              at,
              actor,
              action,
              subject,
              typeof detail.reason === "string" ? detail.reason : null,
            ]),
          ),
  });
