import type { Bank, Collection, Invoice, InvoicePage, ListedInvoice } from "../collection-api/index.ts";
import { moneyIn } from "../kit/money-text.ts";
import { countText, numberOf, shortText } from "../kit/text.ts";
import { sheet, table } from "./table.ts";

const together = (...parts: (string | null | undefined)[]): string =>
  parts.filter((part) => part !== null && part !== undefined && part !== "").join(", ");

/** One line each; only the first one carries the name. */
const several = (name: string, values: readonly string[]) =>
  values.map((value, index) => [index === 0 ? name : " ", value]);

export function renderInvoice(invoice: Invoice, currency: string): string {
  const lines = sheet([
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
  return [`Invoice ${invoice.id}`, ...lines].join("\n");
}

export function renderCollection(collection: Collection, currency: string): string {
  const lines = sheet([
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
  const described = [`Collection ${collection.id}`, ...lines].join("\n");
  if (collection.collectionAccounts.length === 0) return described;
  const accounts = table(collection.collectionAccounts, {
    percent: "percentage",
    "linked account": ({ linkedAccount }) => linkedAccount?.id,
    "account name": ({ linkedAccount }) => linkedAccount?.accountName,
    number: ({ linkedAccount }) => linkedAccount?.accountNumber,
    bank: ({ linkedAccount }) => linkedAccount?.bank?.name,
  });
  return `${described}\n\n${accounts}`;
}

interface Look {
  currency: string;
  width: number | undefined;
  /** What an empty list says. */
  none: string;
}

function renderInvoices(invoices: readonly ListedInvoice[], { currency, width }: Look): string {
  return table(
    invoices,
    {
      invoice: "id",
      status: ({ status }) => shortText(status),
      amount: ({ amount }) => moneyIn(currency, amount),
      created: "dateCreated",
      paid: "datePaid",
      payer: ({ payerName }) => shortText(payerName),
      "e-mail": ({ payerEmail }) => shortText(payerEmail),
      title: ({ title }) => shortText(title),
    },
    width,
  );
}

export function renderPage(page: InvoicePage, look: Look): string {
  const { items, totalCount, hasNextPage } = page;
  const number = page.page ?? 1;
  if (items.length === 0) return number === 1 ? look.none : `Page ${number} is past the end.`;
  const of = totalCount === null ? "" : ` of ${countText(totalCount)}`;
  const more = hasNextPage === true ? ` The next page: --page ${number + 1}; all of them: --all.` : "";
  return `${renderInvoices(items, look)}\n\nPage ${number}: ${numberOf(items.length, "invoice")}${of}.${more}`;
}

export function renderAllInvoices(invoices: readonly ListedInvoice[], look: Look): string {
  return invoices.length === 0
    ? look.none
    : `${renderInvoices(invoices, look)}\n\n${numberOf(invoices.length, "invoice")}.`;
}

export const renderBanks = (banks: readonly Bank[]): string =>
  table(banks, { "bank id": ({ id }) => String(id), name: "name", code: "code" });
