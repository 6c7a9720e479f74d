import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { operationCommand } from "../operation-command.ts";
import { renderAlarms } from "../render-alarms.ts";

export const alarmsCommand = (context: CommandContext): Command =>
  operationCommand(context, "listAlarms", {
    name: "alarms",
    options: { name: "name <alarm>" },
    text({ total, items }, { all }) {
      if (total === 0) return all === undefined ? "No alarm is open." : "No alarm was ever raised.";
      const more = total > items.length ? `\n\n${total - items.length} more; see --limit.` : "";
      return `${renderAlarms(items)}${more}`;
    },
  });
