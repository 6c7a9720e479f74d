import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { pauseOrResumeCommand } from "../pause-command.ts";

export const resumeCommand = (context: CommandContext): Command =>
  pauseOrResumeCommand(
    context,
    "resume",
    "resume asking or sending at once, after a pause, a refusal or a fault",
  );
