import { readFile } from "node:fs/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import {
  type CreateInvoiceRequest,
  createInvoiceRequest,
  parseExactJson,
  problemsOf,
} from "../../collection-api/contract/index.ts";
import { messageOf, usageError } from "../../kit/errors.ts";
import type { Settings } from "../../kit/settings.ts";
import type { CommandContext } from "../command-context.ts";
import { renderInvoice } from "../render-answer.ts";
import { type ProviderAccount, type ProviderOptions, withProvider } from "../with-provider.ts";

interface Options extends ProviderOptions {
  from?: string;
  collectionId?: string;
  title?: string;
  payerName?: string;
  payerEmail?: string;
  payerPhoneNumber?: string;
  amount?: string;
  metadata?: Record<string, string>;
  beneficiary?: { linkedAccountId: string; amount: string }[];
  /** false: none. */
  callbackUrl?: string | false;
  reference?: string;
}

export function createInvoiceCommand(context: CommandContext): Command {
  return new Command("create-invoice")
    .description("create an invoice that calls the relay back when it is paid")
    .option("--from <file>", "the request as JSON; the options below override its fields")
    .option("--collection-id <id>", "the collection's id")
    .option("--title <text>", "what the payment is for")
    .option("--payer-name <name>", "who pays")
    .option("--payer-email <address>", "the payer's e-mail address")
    .option("--payer-phone-number <number>", "the payer's phone number")
    .option("--amount <amount>", "such as 1500.50; only if the collection has no fixed amount")
    .option("--metadata <name=value>", "your own data (billerMetaData); may be repeated", metadataValue)
    .option(
      "--beneficiary <account=amount>",
      "a linked account's id and its share; may be repeated",
      beneficiaryValue,
    )
    .addOption(
      new Option(
        "--reference <reference>",
        "your own reference, included in the callback and the event",
      ).conflicts("callbackUrl"),
    )
    .option(
      "--callback-url <url>",
      "instead of the relay's, from PUBLIC_URL and the first of CALLBACK_TOKENS",
    )
    .option("--no-callback-url", "create it without a callback URL")
    .action(async (options: Options) => {
      const inFile = options.from === undefined ? {} : await readRequestFile(options.from);
      const given = { ...inFile, ...fieldsOf(options) };
      await withProvider(context, options, async ({ client, account, settings }) => {
        const callBackUrl =
          chosenUrl(given, options) ?? (await relayUrl(context, account, settings, options));
        const request = createInvoiceRequestOf({ ...given, callBackUrl: callBackUrl || null });
        const { invoice } = await client.createInvoice(request);
        context.show(invoice, (created) => renderInvoice(created, account.currency));
      });
    });
}

function fieldsOf({
  from,
  source,
  callbackUrl,
  reference,
  metadata,
  beneficiary,
  ...same
}: Options): GivenFields {
  return {
    ...same,
    ...(metadata === undefined ? {} : { billerMetaData: metadata }),
    ...(beneficiary === undefined ? {} : { invoiceBeneficiaries: beneficiary }),
  };
}

/** The callback URL that was given; "" for --no-callback-url; undefined for the relay's own. */
function chosenUrl({ callBackUrl }: GivenFields, { callbackUrl, reference }: Options): unknown {
  if (callbackUrl === false) return "";
  const chosen = callbackUrl ?? (callBackUrl || undefined);
  if (chosen !== undefined && reference !== undefined)
    throw usageError(
      "--reference becomes part of the relay's callback URL, but the file sets a callBackUrl of its " +
        "own. Remove one of them.",
    );
  return chosen;
}

async function relayUrl(
  context: CommandContext,
  { callbackTokens: [token] }: ProviderAccount,
  { PUBLIC_URL }: Settings,
  { reference }: Options,
): Promise<string> {
  if (PUBLIC_URL === undefined || token === undefined)
    throw usageError(
      "The relay's callback URL is made from PUBLIC_URL and CALLBACK_TOKENS. Set both, or use " +
        "--callback-url <url> or --no-callback-url.",
    );
  const { callbackUrl, callbackUrlWarnings } = await import("../../app/callback-url.ts");
  const url = callbackUrl(PUBLIC_URL, token.reveal(), reference);
  for (const warning of callbackUrlWarnings(url)) context.remark(`Look: ${warning}`);
  return url;
}

function metadataValue(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("It should be a name and a value, such as student=17.");
  return { ...before, [name]: value };
}

function beneficiaryValue(text: string, before: Options["beneficiary"] = []) {
  const [, linkedAccountId, amount] = /^([^=]+)=([^=]+)$/.exec(text) ?? [];
  if (linkedAccountId === undefined || amount === undefined)
    throw new InvalidArgumentError(
      "It should be a linked account's id and an amount, such as 7a1b2c3d-…=500.00.",
    );
  return [...before, { linkedAccountId, amount }];
}

type GivenFields = Readonly<Record<string, unknown>>;

async function readRequestFile(file: string): Promise<GivenFields> {
  const json = parsed(file, await contents(file));
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw usageError(`${file} should contain one JSON object with the fields of Create Invoice.`);
  const fields: Record<string, unknown> = { ...json };
  const known = Object.keys(createInvoiceRequest.shape);
  const unknown = Object.keys(fields).filter((name) => !known.includes(name));
  if (unknown.length === 0) return fields;
  throw usageError(`${file} has fields that Create Invoice does not take: ${unknown.join(", ")}.`);
}

function createInvoiceRequestOf(given: GivenFields): CreateInvoiceRequest {
  const result = createInvoiceRequest.safeParse(given);
  if (result.success) return result.data;
  const problems = problemsOf(result.error).map((problem) => `  ${problem}`);
  throw usageError(`The invoice was not created; nothing was sent:\n${problems.join("\n")}`);
}

async function contents(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw usageError(`${file} cannot be read: ${messageOf(cause)}`);
  }
}

function parsed(file: string, text: string): unknown {
  try {
    return parseExactJson(text.replace(/^\uFEFF/, ""));
  } catch {
    // The parser's message quotes the text, which contains personal data.
    throw usageError(`${file} is not JSON.`);
  }
}
