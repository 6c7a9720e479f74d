import { Command, InvalidArgumentError } from "commander";
import type { PagePosition } from "../../database/page.ts";
import { shortText } from "../../kit/text.ts";
import type { FoundInvoice, InvoiceTerms } from "../../operate/list-invoices.ts";
import type { CommandContext } from "../command-context.ts";
import { countValue } from "../option-values.ts";
import { table } from "../table.ts";

export function invoicesCommand(context: CommandContext): Command {
  return new Command("invoices")
    .description("list payments, the newest first; by reference, status, day, collection or amount")
    .option("--reference <text>", "only those with this merchant reference")
    .option("--status <status>", "only those with this status at the provider, such as Paid")
    .option("--collection <name>", "only invoices of the collection with this name")
    .option("--amount <amount>", "only those with this amount, with or without charges", amountValue)
    .option("--source <name>", "only this source")
    .option("--from <day>", "only those paid on this day (UTC) or later")
    .option("--to <day>", "only those paid on this day (UTC) or earlier")
    .option("--confirmed-from <day>", "only those confirmed on this day (UTC) or later")
    .option("--confirmed-to <day>", "only those confirmed on this day (UTC) or earlier")
    .option("--limit <number>", "the most to list", countValue, 50)
    .action(async ({ limit, ...terms }: InvoiceTerms & { limit: number }) => {
      const { findInvoices } = await import("../../operate/find-invoices.ts");
      const invoices: FoundInvoice[] = [];
      await context.withDatabase(async (db) => {
        for (let from: PagePosition | null | undefined; from !== null && invoices.length < limit; ) {
          const page = await findInvoices(db, terms, { from: from ?? null, limit: limit - invoices.length });
          invoices.push(...page.items);
          from = page.next;
        }
      });
      context.show({ invoices }, () => render(invoices));
    });
}

function amountValue(text: string): string {
  const plain = text.replaceAll(",", "");
  if (!/^\d{1,20}(\.\d{1,10})?$/.test(plain))
    throw new InvalidArgumentError("It should be an amount such as 1500.50.");
  return plain;
}

function render(invoices: readonly FoundInvoice[]): string {
  if (invoices.length === 0)
    return "No confirmed invoice matches. To look for an unconfirmed one: invoice-relay invoice <id>";
  const width = Math.max(...invoices.map(({ totalAmount }) => totalAmount?.length ?? 0));
  const rows = invoices.map((invoice) => [
    invoice.invoiceId,
    invoice.reference,
    invoice.totalAmount?.padStart(width),
    invoice.status === null ? null : shortText(invoice.status),
    invoice.verdict,
    invoice.event,
    invoice.paidAt,
    invoice.collection,
    invoice.source,
  ]);
  const header = [
    "invoice",
    "reference",
    "total",
    "status",
    "verdict",
    "event",
    "paid",
    "collection",
    "source",
  ];
  return `${table(header, rows)}\n\nAll that happened to one: invoice-relay invoice <id or reference>`;
}
