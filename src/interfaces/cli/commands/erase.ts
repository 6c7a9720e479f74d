import type { Command } from "commander";
import { invoiceOperations, recordOperations } from "../../../operations/index.ts";

import type { CommandContext } from "../command-context.ts";
import { operationCommand } from "../operation-command.ts";
import { withYes } from "../option-values.ts";

export const eraseCommand = (context: CommandContext): Command =>
  operationCommand(context, invoiceOperations, "eraseInvoice", {
    name: "erase",
    extend: withYes,
    async run(call, given, { yes }) {
      if (given.dryRun === true) return await call(given);
      await call({ ...given, dryRun: true });
      await context.confirm(
        `Blank the personal data of invoice ${String(given.id).toLowerCase()} for good? This cannot be undone.`,
        yes === true,
      );
      return await call(given);
    },
    missing: ({ id }) => `Nothing is known about invoice ${id}: there was nothing to erase.`,
  });

export const retentionCommand = (context: CommandContext): Command =>
  operationCommand(context, recordOperations, "applyRetention", {
    name: "retention",
    judge: ({ stays, failed }) => (stays !== null || failed.length > 0) && context.fault(),
  });
