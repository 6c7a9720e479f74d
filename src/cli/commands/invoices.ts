import { Command, InvalidArgumentError } from "commander";
import { shortText } from "../../kit/text.ts";
import type { InvoiceFilters } from "../../operate/invoice-terms.ts";
import type { ListedInvoice } from "../../operate/list-invoices.ts";
import type { CommandContext } from "../command-context.ts";
import { countValue, timeValue } from "../option-values.ts";
import { table } from "../table.ts";

export function invoicesCommand(context: CommandContext): Command {
  return new Command("invoices")
    .description("list confirmed invoices, the newest first; by reference, status, collection or amount")
    .option("--reference <text>", "only those with this merchant reference")
    .option("--status <status>", "only those with this status at the provider, such as Paid")
    .option("--collection <name>", "only invoices of the collection with this name")
    .option("--amount <amount>", "only those with this amount, with or without charges", amountValue)
    .option("--source <name>", "only this source")
    .option(
      "--from <time>",
      "only those confirmed at this time (UTC) or later; the last 30 days by default",
      timeValue,
    )
    .option("--to <time>", "only those confirmed before this time (UTC)", timeValue)
    .option("--limit <number>", "the most to list", countValue, 50)
    .action(async ({ limit, ...filters }: InvoiceFilters & { limit: number }) => {
      const { listInvoices } = await import("../../operate/list-invoices.ts");
      const invoices = await context.withDatabase((db) => listInvoices(db, filters, limit));
      context.show({ invoices }, () => render(invoices));
    });
}

function amountValue(text: string): string {
  const plain = text.replaceAll(",", "");
  if (!/^\d{1,20}(\.\d{1,10})?$/.test(plain))
    throw new InvalidArgumentError("It should be an amount such as 1500.50.");
  return plain;
}

function render(invoices: readonly ListedInvoice[]): string {
  if (invoices.length === 0)
    return "No confirmed invoice matches. To look for an unconfirmed one: invoice-relay invoice <id>";
  const width = Math.max(...invoices.map(({ totalAmount }) => totalAmount?.length ?? 0));
  const rows = invoices.map((invoice) => [
    invoice.invoiceId,
    invoice.reference,
    invoice.totalAmount?.padStart(width),
    shortText(invoice.status),
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
