import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { operationCommand, type ResultOf } from "../operation-command.ts";
import { withYes } from "../option-values.ts";

export const eraseCommand = (context: CommandContext): Command =>
  operationCommand(context, "eraseInvoice", {
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
    text: render,
  });

function render(erased: ResultOf<"eraseInvoice">): string {
  const { invoiceId, callbacks, snapshots, invoices, events, confirmations, left, dryRun } = erased;
  const counts: [table: string, count: number][] = [
    ["callback", callbacks],
    ["confirmation", confirmations],
    ["invoice", invoices],
    ["invoice_snapshot", snapshots],
    ["event", events],
  ];
  const blanked = counts.filter(([, count]) => count > 0);
  const tables = blanked.map(([table, count]) => `  ${table.padEnd(16)}  ${count}`);
  const lines =
    blanked.length === 0
      ? [`Invoice ${invoiceId} was erased before, and nothing is new since: there was nothing to erase.`]
      : dryRun
        ? [
            `Would be blanked for invoice ${invoiceId}, rows by table:`,
            ...tables,
            "This was a dry run: nothing was changed.",
          ]
        : [
            `Erased for invoice ${invoiceId}, rows by table:`,
            ...tables,
            "Ids, amounts and digests are kept; what comes in about it later is recorded by its digest.",
            "Copies that were sent to SNS or written to a file are not erased.",
          ];
  if (left.length > 0)
    lines.push(
      "These callbacks carry its reference, which another invoice has as well, and name no known invoice.",
      "They were left as they are; the console shows each of them (Callbacks).",
      ...left.map(({ id, receivedAt, source }) => `  ${id}  ${receivedAt.toISOString()}  ${source}`),
    );
  return lines.join("\n");
}
