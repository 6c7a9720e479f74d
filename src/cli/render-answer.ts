import type { Bank, Collection, Invoice, InvoicePage, ListedInvoice } from "../collection-api/index.ts";
import { withoutCallbackTokens } from "../kit/mask.ts";
import { moneyIn } from "../kit/money-text.ts";
import { shortText } from "../kit/text.ts";
import type { CommandContext } from "./command-context.ts";
import { table } from "./table.ts";
import { plainText } from "./terminal-text.ts";

type Field = [name: string, value: string | null | undefined];

/** A heading, then a line for each field that has a value. */
function sheet(heading: string, fields: readonly Field[]): string {
  const given = fields.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const width = Math.max(...given.map(([name]) => name.length));
  return [
    heading,
    ...given.map(([name, value]) => `  ${name.padEnd(width)}  ${plainText(value ?? "")}`),
  ].join("\n");
}

const together = (...parts: (string | null | undefined)[]): string =>
  parts.filter((part) => part !== null && part !== undefined && part !== "").join(", ");

/** One line each; only the first one carries the name. */
const several = (name: string, values: readonly string[]): Field[] =>
  values.map((value, index): Field => [index === 0 ? name : "", value]);

export function renderInvoice(invoice: Invoice, currency: string): string {
  return sheet(`Invoice ${invoice.id}`, [
    ["status", invoice.status],
    ["title", invoice.title],
    ["collection", invoice.collectionName],
    ["type", invoice.type],
    ["amount", moneyIn(currency, invoice.amount)],
    ["service charge", moneyIn(currency, invoice.serviceCharge)],
    ["VAT", moneyIn(currency, invoice.vat)],
    ["total", moneyIn(currency, invoice.totalAmount)],
    ["settleable", moneyIn(currency, invoice.settleableAmount)],
    ["fee paid by", invoice.serviceFeePayer],
    ["settled", invoice.settlementFrequency],
    ["payer", together(invoice.payerName, invoice.payerEmail, invoice.payerPhoneNumber)],
    ["biller", together(invoice.billerName, invoice.billerAddress, invoice.billerEmail)],
    ["created", invoice.dateCreated],
    ["modified", invoice.dateModified],
    ["paid", together(invoice.paymentDate, invoice.paymentMethod)],
    ...several(
      "metadata",
      Object.entries(invoice.billerMetaData).map(([name, value]) => `${name}: ${value}`),
    ),
    ...several(
      "beneficiaries",
      (invoice.invoiceBeneficiaries ?? []).map(
        ({ linkedAccountId, amount }) => `${linkedAccountId}: ${moneyIn(currency, amount)}`,
      ),
    ),
    ["callback URL", invoice.callBackUrl],
    ["pay at", invoice.paymentUrl],
  ]);
}

export function renderCollection(collection: Collection, currency: string): string {
  const lines = sheet(`Collection ${collection.id}`, [
    ["name", collection.collectionName],
    ["description", collection.description],
    ["status", collection.status],
    ["amount", moneyIn(currency, collection.amount) ?? "set by each invoice"],
    ["channels", together(...collection.paymentChannels)],
    ["expiry", collection.invoiceExpirationPeriod],
    ["settled", collection.settlementFrequency],
    ["fee paid by", collection.serviceFeeBilling],
    ["category", collection.collectionCategory?.name],
    ["created", collection.dateCreated],
  ]);
  if (collection.collectionAccounts.length === 0) return lines;
  const accounts = table(
    ["percent", "linked account", "account name", "number", "bank"],
    collection.collectionAccounts.map(({ percentage, linkedAccount }) => [
      percentage,
      linkedAccount?.id,
      linkedAccount?.accountName,
      linkedAccount?.accountNumber,
      linkedAccount?.bank?.name,
    ]),
  );
  return `${lines}\n\n${accounts}`;
}

interface Look {
  currency: string;
  width: number | undefined;
}

function renderInvoices(invoices: readonly ListedInvoice[], { currency, width }: Look): string {
  return table(
    ["invoice", "status", "amount", "created", "paid", "payer", "e-mail", "title"],
    invoices.map((invoice) => [
      invoice.id,
      shortText(invoice.status),
      moneyIn(currency, invoice.amount),
      invoice.dateCreated,
      invoice.datePaid,
      shortText(invoice.payerName),
      shortText(invoice.payerEmail),
      shortText(invoice.title),
    ]),
    width,
  );
}

export function renderPage(page: InvoicePage, look: Look): string {
  const { items, totalCount, hasNextPage } = page;
  const number = page.page ?? 1;
  if (items.length === 0) return number === 1 ? "No invoice matches." : `Page ${number} is past the end.`;
  const of = totalCount === null ? "" : ` of ${totalCount.toLocaleString("en-US")}`;
  const more = hasNextPage === true ? ` The next page: --page ${number + 1}; all of them: --all.` : "";
  return `${renderInvoices(items, look)}\n\nPage ${number}: ${counted(items.length)}${of}.${more}`;
}

export function renderAllInvoices(invoices: readonly ListedInvoice[], look: Look): string {
  return invoices.length === 0
    ? "No invoice matches."
    : `${renderInvoices(invoices, look)}\n\n${counted(invoices.length)}.`;
}

const counted = (count: number): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? "invoice" : "invoices"}`;

export function renderBanks(banks: readonly Bank[]): string {
  return table(
    ["bank id", "name", "code"],
    banks.map(({ id, name, code }) => [String(id), name, code]),
  );
}

/** Prints the provider's answer; the callback token in an invoice is masked, also in JSON. */
export function showAnswer<Value>(
  context: CommandContext,
  value: Value,
  human: (value: Value) => string,
): void {
  context.print(withoutCallbackTokens(context.json ? JSON.stringify(value, null, 2) : human(value)));
}

/** Prints one of many answers as it arrives: one JSON document a line. */
export function showAnswerLine(context: CommandContext, value: unknown): void {
  context.print(withoutCallbackTokens(JSON.stringify(value)));
}
