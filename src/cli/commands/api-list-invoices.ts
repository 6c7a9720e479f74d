import { Command, Option } from "commander";
import type { InvoiceFilterInput, ListedInvoice } from "../../collection-api/index.ts";
import type { CommandContext } from "../command-context.ts";
import { idValue } from "../option-values.ts";
import { type ProviderOptions, withProvider } from "../with-provider.ts";

type Options = ProviderOptions & InvoiceFilterInput & { all?: true };

export function listInvoicesCommand(context: CommandContext): Command {
  return new Command("list-invoices")
    .description("list a collection's invoices")
    .argument("<collection-id>", "the collection's id", idValue)
    .option("--invoice-status <status>", "such as Unpaid or Paid")
    .option("--invoice-type <type>", "Live or Test")
    .option("--search <text>", "text to look for in title and payer")
    .option("--start-date <day>", "the first day, YYYY-MM-DD")
    .option("--end-date <day>", "the last day, YYYY-MM-DD")
    .option("--page <number>", "the page number, from 1")
    .option("--page-size <number>", "invoices per page")
    .addOption(new Option("--all", "every page, each invoice once; with --json one a line").conflicts("page"))
    .action(async (collectionId: string, { source, all, ...filter }: Options) => {
      if (all === true) return await listAll(context, collectionId, filter, { source });
      const { renderPage } = await import("../render-answer.ts");
      const { showAnswer } = await import("../show-answer.ts");
      const page = await withProvider(context, { source }, ({ client }) =>
        client.listInvoices(collectionId, filter),
      );
      showAnswer(context, page, renderPage);
    });
}

async function listAll(
  context: CommandContext,
  collectionId: string,
  filter: InvoiceFilterInput,
  options: ProviderOptions,
): Promise<void> {
  const { renderAllInvoices } = await import("../render-answer.ts");
  const { showAnswer, showAnswerLine } = await import("../show-answer.ts");
  // A table needs all rows to know its widths; JSON lines are printed as they arrive.
  const invoices: ListedInvoice[] = [];
  await withProvider(context, options, async ({ client }) => {
    for await (const invoice of client.iterateInvoices(collectionId, filter)) {
      if (context.json) showAnswerLine(context, invoice);
      else invoices.push(invoice);
    }
  });
  if (!context.json) showAnswer(context, invoices, renderAllInvoices);
}
