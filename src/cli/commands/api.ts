import { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { idValue } from "../option-values.ts";
import { plainText } from "../terminal-text.ts";
import { type ProviderOptions, withProvider } from "../with-provider.ts";
import { addLinkedAccountCommand } from "./api-add-linked-account.ts";
import { createInvoiceCommand } from "./api-create-invoice.ts";
import { listInvoicesCommand } from "./api-list-invoices.ts";

/** `invoice-relay api <operation>`: the seven operations of the interface, with the key from the settings. */
export function apiCommand(context: CommandContext): Command {
  const operations = [
    getCollectionCommand(context),
    listInvoicesCommand(context),
    createInvoiceCommand(context),
    getInvoiceCommand(context),
    invalidateInvoiceCommand(context),
    addLinkedAccountCommand(context),
    getBanksCommand(context),
  ];
  const api = new Command("api").description("call the provider: its seven operations, one command each");
  for (const operation of operations)
    api.addCommand(
      operation.option("--source <name>", "the source whose key to use; needed if SOURCES_FILE has several"),
    );
  return api;
}

function getCollectionCommand(context: CommandContext): Command {
  return new Command("get-collection")
    .description("show a collection: its terms, accounts and state")
    .argument("<id>", "the collection's id", idValue)
    .action(async (id: string, options: ProviderOptions) => {
      const { renderCollection } = await import("../render-answer.ts");
      const { showAnswer } = await import("../show-answer.ts");
      const collection = await withProvider(context, options, ({ client }) => client.getCollection(id));
      showAnswer(context, collection, renderCollection);
    });
}

function getInvoiceCommand(context: CommandContext): Command {
  return new Command("get-invoice")
    .description("show an invoice as the provider has it; `invoice` shows what the relay knows about it")
    .argument("<id>", "the invoice's id", idValue)
    .action(async (id: string, options: ProviderOptions) => {
      const { renderInvoice } = await import("../render-answer.ts");
      const { showAnswer } = await import("../show-answer.ts");
      const { invoice } = await withProvider(context, options, ({ client }) => client.getInvoice(id));
      showAnswer(context, invoice, renderInvoice);
    });
}

function invalidateInvoiceCommand(context: CommandContext): Command {
  return new Command("invalidate-invoice")
    .description("invalidate an unpaid invoice, so that it cannot be paid; this cannot be undone")
    .argument("<id>", "the invoice's id", idValue)
    .action(async (id: string, options: ProviderOptions) => {
      const { showAnswer } = await import("../show-answer.ts");
      const { message } = await withProvider(context, options, ({ client }) => client.invalidateInvoice(id));
      showAnswer(
        context,
        { id, message },
        () => `Invoice ${id} can no longer be paid. ${plainText(message)}`,
      );
    });
}

function getBanksCommand(context: CommandContext): Command {
  return new Command("get-banks")
    .description("list banks with their ids, for add-linked-account")
    .option("--banks-path <path>", "the path of Get Banks; /api/v1/banks by default")
    .action(async (options: ProviderOptions) => {
      const { renderBanks } = await import("../render-answer.ts");
      const { showAnswer } = await import("../show-answer.ts");
      const banks = await withProvider(context, options, ({ client }) => client.getBanks());
      showAnswer(context, banks, renderBanks);
    });
}
