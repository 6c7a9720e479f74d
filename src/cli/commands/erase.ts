import { Command } from "commander";
import type { Erased } from "../../operate/erase.ts";
import type { CommandContext } from "../command-context.ts";
import { operator } from "../operator.ts";
import { idValue, withReason, withYes } from "../option-values.ts";

interface Options {
  reason?: string;
  yes?: true;
  dryRun?: true;
}

export function eraseCommand(context: CommandContext): Command {
  const command = new Command("erase")
    .description("blank the personal data of one invoice for good; ids, amounts and a digest are kept")
    .argument("<invoice-id>", "the invoice's id", idValue)
    .option("--dry-run", "only show what would be blanked");
  return withYes(withReason(command)).action(async (invoiceId: string, { reason, yes, dryRun }: Options) => {
    const { eraseInvoice } = await import("../../operate/erase.ts");
    const erased = await context.withDatabase(async (db) => {
      const erasing = { db, actor: operator(), invoiceId, reason };
      if (dryRun !== true) {
        const before = await eraseInvoice({ ...erasing, dryRun: true });
        if (before.found)
          await context.confirm(
            `Blank the personal data of invoice ${invoiceId} for good? This cannot be undone.`,
            yes,
          );
      }
      return await eraseInvoice({ ...erasing, dryRun });
    });
    if (!erased.found) context.notFound();
    context.show(erased, render);
  });
}

function render(erased: Erased & { dryRun: boolean }): string {
  const { invoiceId, found, callbacks, snapshots, invoices, events, confirmations, left, dryRun } = erased;
  if (!found) return `Nothing is known about invoice ${invoiceId}: there was nothing to erase.`;
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
