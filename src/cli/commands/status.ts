import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { operationCommand } from "../operation-command.ts";
import { renderStatus } from "../render-status.ts";

/** The first thing to look at when on call; exit code 1 when a person is needed. */
export const statusCommand = (context: CommandContext): Command =>
  operationCommand(context, "readStatus", {
    name: "status",
    text: (status) => renderStatus(status, context),
    judge: ({ needsPerson }) => needsPerson && context.fault(),
  });
