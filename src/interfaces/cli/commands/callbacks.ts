import { Command } from "commander";
import { callbackOperations } from "../../../operations/index.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand } from "../operation-command.ts";

/** The log of callbacks, and what became of each. */
export const callbacksCommand = (context: CommandContext): Command =>
  new Command("callbacks")
    .description("callbacks that came in, and what became of each: list, show")
    .addCommand(list(context))
    .addCommand(show(context));

const list = (context: CommandContext): Command =>
  operationCommand(context, callbackOperations, "listCallbacks", {
    name: "list",
    options: { invoiceId: "invoice", remoteAddress: "sender" },
    extend: (command) =>
      command.option("--refused", "only those that failed a check, the same as --verdict refused"),
    input: ({ refused, ...given }) => (refused === true ? { ...given, verdict: "refused" } : given),
    json: ({ items }) => ({ callbacks: items }),
  });

const show = (context: CommandContext): Command =>
  operationCommand(context, callbackOperations, "showCallback", {
    name: "show",
    description: "show one whole callback and how each id was found",
    missing: ({ id }) => `No callback has the id ${String(id)}.`,
    others: { operation: "listCallbacks", args: {} },
  });
