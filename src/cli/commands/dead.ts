import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { undeliveredCommand } from "../undelivered-command.ts";

export function deadCommand(context: CommandContext): Command {
  return undeliveredCommand(context, {
    list: "dead",
    description: "dead letters: confirmations and events that were given up; list, show, retry, dismiss",
    none: "No dead letters: nothing was given up.",
    what: ["dead letter", "dead letters"],
    act: {
      name: "retry",
      description: "ask or send again from the beginning",
      done: "due again; a running invoice-relay serve does the rest",
      run: async (options) => (await import("../../operate/decide-undelivered.ts")).retryDead(options),
    },
    dismiss: async (options) => (await import("../../operate/decide-undelivered.ts")).dismissDead(options),
  });
}
