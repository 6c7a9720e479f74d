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
  const { invoiceId, found, callbacks, snapshots, invoices, events, confirmations, dryRun } = erased;
  const counts: [number, string][] = [
    [callbacks, callbacks === 1 ? "callback" : "callbacks"],
    [invoices, "invoice"],
    [snapshots, snapshots === 1 ? "snapshot" : "snapshots"],
    [events, events === 1 ? "event" : "events"],
  ];
  const blanked = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (!found) return `Nothing is known about invoice ${invoiceId}: there was nothing to erase.`;
  if (blanked.length === 0 && confirmations === 0)
    return `Invoice ${invoiceId} was erased before, and nothing is new since: there was nothing to erase.`;
  const what = blanked.length > 0 ? blanked.join(", ") : "nothing stored so far";
  if (dryRun)
    return `Would be blanked for invoice ${invoiceId}: ${what}. This was a dry run: nothing was changed.`;
  return [
    `Erased for invoice ${invoiceId}: ${what}.`,
    "Ids, amounts and a digest are kept; confirming it again brings nothing back.",
    "Copies that were sent to SNS or written to a file are not erased.",
  ].join("\n");
}
