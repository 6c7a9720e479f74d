import { Command } from "commander";
import type { Erased } from "../../operate/erase.ts";
import type { CommandContext } from "../command-context.ts";
import { operator } from "../operator.ts";
import { idValue } from "../option-values.ts";

/** `invoice-relay erase <invoice id>`: blanks personal data; ids and amounts stay. */
export function eraseCommand(context: CommandContext): Command {
  return new Command("erase")
    .description("blank the personal data of one invoice for good; ids, amounts and a digest stay")
    .argument("<invoice-id>", "the invoice's id", idValue)
    .action(async (invoiceId: string) => {
      const { eraseInvoice } = await import("../../operate/erase.ts");
      const erased = await context.withDatabase((db) => eraseInvoice({ db, actor: operator(), invoiceId }));
      if (!erased.found) context.notFound();
      context.show(erased, render);
    });
}

function render({ invoiceId, found, callbacks, snapshots, invoices, events, confirmations }: Erased): string {
  const counts: [number, string][] = [
    [callbacks, callbacks === 1 ? "callback" : "callbacks"],
    [invoices, "invoice"],
    [snapshots, snapshots === 1 ? "snapshot" : "snapshots"],
    [events, events === 1 ? "event" : "events"],
  ];
  const blanked = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (!found) return `Nothing is known of invoice ${invoiceId}: there was nothing to erase.`;
  if (blanked.length === 0 && confirmations === 0)
    return `Invoice ${invoiceId} was erased before, and nothing came since: there was nothing left to erase.`;
  return [
    `Erased for invoice ${invoiceId}: ${blanked.length > 0 ? blanked.join(", ") : "nothing stood here yet"}.`,
    "Ids, amounts and a digest of what stood there stay; confirming it again brings nothing back.",
    "What was sent to SNS or written to a file is not here to erase.",
  ].join("\n");
}
