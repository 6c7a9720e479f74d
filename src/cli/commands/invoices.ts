import type { Command } from "commander";
import { shortText } from "../../kit/text.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand, type ResultOf } from "../operation-command.ts";
import { countValue } from "../option-values.ts";
import { table } from "../table.ts";

type ListedInvoice = ResultOf<"listInvoices">["items"][number];

/** The most of one page. */
const PAGE = 200;

export const invoicesCommand = (context: CommandContext): Command =>
  operationCommand(context, "listInvoices", {
    name: "invoices",
    without: ["limit"],
    options: {
      reference: "reference <text>",
      from: "from <day>",
      to: "to <day>",
      confirmedFrom: "confirmed-from <day>",
      confirmedTo: "confirmed-to <day>",
    },
    extend: (command) => command.option("--limit <number>", "the most to list", countValue, 50),
    async run(call, { limit: most, ...terms }) {
      const [limit, items]: [number, ListedInvoice[]] = [Number(most), []];
      for (let cursor: string | null | undefined; ; ) {
        const page = await call({ ...terms, cursor, limit: Math.min(PAGE, limit - items.length) });
        items.push(...page.items);
        cursor = page.next;
        if (cursor === null || items.length >= limit) return { ...page, items };
      }
    },
    json: ({ items }) => ({ invoices: items }),
    text: ({ items }) => render(items),
  });

function render(invoices: readonly ListedInvoice[]): string {
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
