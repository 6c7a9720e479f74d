import { Command, InvalidArgumentError } from "commander";
import type { CommandContext } from "../command-context.ts";
import { plainText } from "../terminal-text.ts";
import { type ProviderOptions, withProvider } from "../with-provider.ts";

interface Options extends ProviderOptions {
  bankId: number;
  accountNumber: string;
  primary?: true;
}

export function addLinkedAccountCommand(context: CommandContext): Command {
  return new Command("add-linked-account")
    .description("link a bank account for payouts; the provider has to approve it")
    .requiredOption("--bank-id <number>", "the bank's id from get-banks", bankIdValue)
    .requiredOption("--account-number <digits>", "the account's number")
    .option("--primary", "make it the primary account; the first one always is")
    .action(async ({ bankId, accountNumber, primary, ...options }: Options) => {
      const { showAnswer } = await import("../show-answer.ts");
      const linkedAccount = { bankId, accountNumber, isPrimary: primary === true };
      const { message } = await withProvider(context, options, ({ client }) =>
        client.addLinkedAccount({ linkedAccount }),
      );
      showAnswer(
        context,
        { message },
        () => `${plainText(message)}\nIt receives no payouts until the provider approves it.`,
      );
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
