import { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { countValue } from "../option-values.ts";
import { renderAlarms } from "../render-alarms.ts";

interface Options {
  all?: true;
  name?: string;
  source?: string;
  limit: number;
}

export function alarmsCommand(context: CommandContext): Command {
  return new Command("alarms")
    .description("list open alarms, the newest first: since when, and what to do")
    .option("--all", "include cleared alarms")
    .option("--name <alarm>", "only alarms of this name, such as confirmation_dead")
    .option("--source <name>", "only this source")
    .option("--limit <number>", "the most to list", countValue, 50)
    .action(async ({ limit, ...filters }: Options) => {
      const { listAlarms } = await import("../../alarms/list-alarms.ts");
      const { total, items } = await context.withDatabase((db) => listAlarms(db, filters, limit));
      context.show({ total, items }, () => {
        if (total === 0) return filters.all === true ? "No alarm was ever raised." : "No alarm is open.";
        const more = total > items.length ? `\n\n${total - items.length} more; see --limit.` : "";
        return `${renderAlarms(items)}${more}`;
      });
    });
}
