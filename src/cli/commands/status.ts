import { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { renderStatus } from "../render-status.ts";

/** `invoice-relay status`: the first thing to look at when on call; exit code 1 when a person is needed. */
export function statusCommand(context: CommandContext): Command {
  return new Command("status")
    .description("how the relay is doing: what needs a person, and what to do about it")
    .action(async () => {
      const { readStatus } = await import("../../operate/status.ts");
      const { statusSettings } = await import("../../app/settings-shown.ts");
      const settings = statusSettings(context.settings(["DATABASE_URL"]));
      const status = await context.withDatabase((db) => readStatus(db, settings));
      if (status.needsPerson) context.fault();
      context.show(status, () => renderStatus(status, context));
    });
}
