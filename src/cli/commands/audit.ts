import { Command } from "commander";
import type { AuditFilters } from "../../alarms/audit.ts";
import type { CommandContext } from "../command-context.ts";
import { countValue, idValue, timeValue } from "../option-values.ts";
import { table } from "../table.ts";

interface Options {
  invoice?: string;
  actor?: string;
  action?: string;
  subject?: string;
  from?: string;
  to?: string;
  limit: number;
}

export function auditCommand(context: CommandContext): Command {
  return new Command("audit")
    .description("list who changed what, when and why, the newest first")
    .option("--invoice <id>", "only what touched this invoice", idValue)
    .option("--actor <name>", "only this person or token, such as cli:ada")
    .option("--action <action>", "only this action, such as dead.retry, or a group of actions, such as dead")
    .option("--subject <name>", "only this source, topic, replay, collection or event id")
    .option("--from <time>", "only at this time (UTC) or later", timeValue)
    .option("--to <time>", "only before this time (UTC)", timeValue)
    .option("--limit <number>", "the most to list", countValue, 50)
    .action(async ({ limit, invoice: invoiceId, ...others }: Options) => {
      const { readAuditLog } = await import("../../alarms/audit.ts");
      const filters: AuditFilters = { ...others, invoiceId };
      const entries = await context.withDatabase((db) => readAuditLog({ db, limit, ...filters }));
      context.show({ entries }, () =>
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
      );
    });
}
