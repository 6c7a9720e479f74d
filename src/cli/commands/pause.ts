import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { pauseOrResumeCommand } from "../pause-command.ts";

export const pauseCommand = (context: CommandContext): Command =>
  pauseOrResumeCommand(context, "pause", "stop asking the provider, or sending to SNS, during an incident");
