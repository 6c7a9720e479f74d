import { Command, InvalidArgumentError, Option } from "commander";
import type { InvoiceFilterInput, ListedInvoice } from "../../collection-api/index.ts";
import { usageError } from "../../kit/errors.ts";
import { plainText, shortText } from "../../kit/text.ts";
import type { CommandContext } from "../command-context.ts";
import { idValue, noneText } from "../option-values.ts";
import {
  renderAllInvoices,
  renderBanks,
  renderCollection,
  renderInvoice,
  renderPage,
} from "../render-answer.ts";
import { type Provider, type ProviderOptions, withProvider } from "../with-provider.ts";
import { createInvoiceCommand } from "./api-create-invoice.ts";

/** `invoice-relay api <operation>`: the seven operations of the interface, with the key from the settings. */
export function apiCommand(context: CommandContext): Command {
  const api = new Command("api").description("call the provider: its seven operations, one command each");
  for (const operation of [
    answering(
      context,
      new Command("get-collection")
        .description("show a collection: its terms, accounts and state")
        .argument("<id>", "the collection's id", idValue),
      ({ client }, id) => client.getCollection(id),
      renderCollection,
    ),
    listInvoicesCommand(context),
    createInvoiceCommand(context),
    answering(
      context,
      new Command("get-invoice")
        .description("show an invoice as the provider has it; `invoice` shows what the relay knows about it")
        .argument("<id>", "the invoice's id", idValue),
      async ({ client }, id) => (await client.getInvoice(id)).invoice,
      renderInvoice,
    ),
    answering(
      context,
      new Command("invalidate-invoice")
        .description("invalidate an unpaid invoice, so that it cannot be paid; this cannot be undone")
        .argument("<id>", "the invoice's id", idValue),
      async ({ client }, id) => ({ id, message: (await client.invalidateInvoice(id)).message }),
      ({ id, message }) => `Invoice ${id} can no longer be paid. ${plainText(message)}`,
    ),
    answering(
      context,
      new Command("add-linked-account")
        .description("link a bank account for payouts; the provider has to approve it")
        .requiredOption("--bank-id <number>", "the bank's id from get-banks", bankIdValue)
        .requiredOption("--account-number <digits>", "the account's number")
        .option("--primary", "make it the primary account; the first one always is"),
      async ({ client }, _id, { bankId, accountNumber, primary }) => {
        const linkedAccount = { bankId, accountNumber, isPrimary: primary === true };
        return { message: (await client.addLinkedAccount({ linkedAccount })).message };
      },
      ({ message }) => `${plainText(message)}\nIt receives no payouts until the provider approves it.`,
    ),
    answering(
      context,
      new Command("get-banks")
        .description("list banks with their ids, for add-linked-account")
        .option("--banks-path <path>", "the path of Get Banks; /api/v1/banks by default"),
      ({ client }) => client.getBanks(),
      renderBanks,
    ),
  ])
    api.addCommand(
      operation.option("--source <name>", "the source whose key to use; needed if SOURCES_FILE has several"),
    );
  return api;
}

interface AnsweringOptions extends ProviderOptions {
  bankId: number;
  accountNumber: string;
  primary?: true;
}

/** A command that asks once, about the id that it takes or about none, and prints the answer. */
function answering<Answer>(
  context: CommandContext,
  command: Command,
  ask: (provider: Provider, id: string, options: AnsweringOptions) => Promise<Answer>,
  text: (answer: Answer, currency: string) => string,
): Command {
  return command.action(async () => {
    const options = command.opts<AnsweringOptions>();
    await withProvider(context, options, async (provider) => {
      const answer = await ask(provider, command.processedArgs[0], options);
      context.show(answer, () => text(answer, provider.account.currency));
    });
  });
}

/** Clearing codes often begin with a zero, which a number would lose: `044` is not bank 44. */
function bankIdValue(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text))
    throw new InvalidArgumentError(
      "It should be the bank's number from get-banks, not its clearing code or UUID.",
    );
  return Number(text);
}

type ListOptions = ProviderOptions & InvoiceFilterInput & { all?: true };

function listInvoicesCommand(context: CommandContext): Command {
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
    .action(async (collectionId: string, { source, all, ...filter }: ListOptions) => {
      await refuseUnknownFilter(context, filter);
      if (all === true) return await listAll(context, collectionId, filter, { source });
      await withProvider(context, { source }, async ({ client, account: { currency } }) =>
        context.show(await client.listInvoices(collectionId, filter), (page) =>
          renderPage(page, { currency, width: context.width, none: noneOf(filter) }),
        ),
      );
    });
}

const noneOf = ({ page: _, pageSize: __, ...filter }: InvoiceFilterInput): string =>
  noneText({ ...filter }, "The collection has no invoice yet.", "No invoice matches.");

/** The provider would answer an empty page. @throws RelayError that names what is known. */
async function refuseUnknownFilter(context: CommandContext, filter: InvoiceFilterInput): Promise<void> {
  const { INVOICE_STATUSES, INVOICE_TYPES } = await import("../../collection-api/index.ts");
  const { PAID_STATUSES, INVALID_STATUSES } = context.settings();
  const statuses = new Set([...INVOICE_STATUSES, ...PAID_STATUSES, ...INVALID_STATUSES]);
  for (const [flag, given, known] of [
    ["--invoice-status", filter.invoiceStatus, [...statuses]],
    ["--invoice-type", filter.invoiceType, INVOICE_TYPES],
  ] as const)
    if (given !== undefined && !known.some((one) => one.toLowerCase() === given.toLowerCase()))
      throw usageError(`${flag} ${shortText(given)} is not known. It should be one of: ${known.join(", ")}.`);
}

async function listAll(
  context: CommandContext,
  collectionId: string,
  filter: InvoiceFilterInput,
  options: ProviderOptions,
): Promise<void> {
  // A table needs all rows to know its widths; JSON lines are printed as they arrive.
  const invoices: ListedInvoice[] = [];
  await withProvider(context, options, async ({ client, account: { currency } }) => {
    for await (const invoice of client.iterateInvoices(collectionId, filter)) {
      if (context.json) context.showLine(invoice, () => "");
      else invoices.push(invoice);
    }
    if (context.json) return;
    const look = { currency, width: context.width, none: noneOf(filter) };
    context.show(invoices, (all) => renderAllInvoices(all, look));
  });
}
