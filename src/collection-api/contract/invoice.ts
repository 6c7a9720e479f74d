import { z } from "zod";
import { moneyRead, moneyRequiredRead, moneyWritten } from "./money.ts";
import { day, searchText, text, utcTime, uuid, wholeNumber } from "./strict-fields.ts";
import {
  flagRead,
  idRead,
  listRead,
  listRequiredRead,
  metadataRead,
  numberRead,
  textRead,
  textRequiredRead,
  timeRead,
} from "./tolerant-fields.ts";

const invoiceFields = z.object({
  id: idRead,
  title: textRead,
  collectionName: textRead,
  payerName: textRead,
  payerEmail: textRead,
  payerPhoneNumber: textRead,
  billerName: textRead,
  billerAddress: textRead,
  billerEmail: textRead,
  amount: moneyRequiredRead,
  serviceCharge: moneyRead,
  vat: moneyRead,
  totalAmount: moneyRead,
  settleableAmount: moneyRead,
  status: textRequiredRead,
  serviceFeePayer: textRead,
  settlementFrequency: textRead,
  type: textRead,
  paymentUrl: textRead,
  dateCreated: timeRead,
  dateModified: timeRead,
  billerMetaData: metadataRead,
  paymentDate: timeRead,
  paymentMethod: textRead,
  invoiceBeneficiaries: listRead(
    z.object({ linkedAccountId: textRequiredRead, amount: moneyRequiredRead }),
    null,
  ),
  callBackUrl: textRead,
});

/**
 * An invoice as the client reads it. Id, status and amount have to be there; anything else that is left out,
 * or is not what it should be, is null. Money is a decimal string, times are the provider's own text (see
 * `toUtc`), a status that nobody knows is kept as it is. Fields it does not know stay in the answer's
 * `document`.
 */
export const invoiceRead = z.preprocess(withStatus, invoiceFields);

export type Invoice = z.output<typeof invoiceFields>;

/** The statuses and types that the interface names (part A, Invoice). */
export const INVOICE_STATUSES = ["Unpaid", "Paid", "Invalidated"] as const;
export const INVOICE_TYPES = ["Live", "Test"] as const;

/** Some answers say `invoiceStatus` where others say `status` (interface, part B). */
function withStatus(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("invoiceStatus" in value)) return value;
  return "status" in value && value.status !== null ? value : { ...value, status: value.invoiceStatus };
}

/** An invoice as the service writes it (interface, parts A and B). */
export const invoiceWritten = z
  .object({
    id: uuid,
    title: z.string(),
    collectionName: z.string(),
    payerName: z.string(),
    payerEmail: z.string(),
    payerPhoneNumber: z.string().nullable(),
    billerName: z.string(),
    billerAddress: z.string().nullable(),
    billerEmail: z.string().nullable(),
    amount: moneyWritten,
    serviceCharge: moneyWritten,
    vat: moneyWritten,
    totalAmount: moneyWritten,
    settleableAmount: moneyWritten,
    status: z.enum(INVOICE_STATUSES),
    serviceFeePayer: z.enum(["Payer", "Merchant"]),
    settlementFrequency: z.enum(["Daily", "Instant"]),
    type: z.enum(INVOICE_TYPES),
    paymentUrl: z.string().meta({ format: "uri" }),
    dateCreated: utcTime,
    dateModified: utcTime,
    billerMetaData: z.record(z.string(), z.string()),
    paymentDate: utcTime.nullable(),
    paymentMethod: z.enum(["Card", "BankTransfer", "USSD", "BankBranch"]).nullable(),
    invoiceBeneficiaries: z.array(z.object({ linkedAccountId: z.string(), amount: moneyWritten })).nullable(),
    callBackUrl: z.string().nullable(),
  })
  .meta({ id: "Invoice", description: "One payment that is asked for, and what became of it." });

export type InvoiceWritten = z.input<typeof invoiceWritten>;

/** The most items that one page may be asked for. */
export const PAGE_SIZE_LIMIT = 1_000;

/** Which invoices of a collection are asked for, and which page of them (interface, part A). */
export const invoiceFilter = z
  .object({
    invoiceStatus: text(50)
      .optional()
      .meta({ examples: ["Paid"] }),
    search: searchText.optional().describe("Text to look for in title and payer."),
    startDate: day.optional(),
    endDate: day.optional(),
    invoiceType: text(50)
      .optional()
      .meta({ examples: ["Live"] }),
    page: wholeNumber(1, 1_000_000).optional(),
    pageSize: wholeNumber(1, PAGE_SIZE_LIMIT).optional(),
  })
  .refine(({ startDate, endDate }) => !startDate || !endDate || startDate <= endDate, {
    path: ["endDate"],
    error: "should not be before startDate",
  });

/** In: `page` and `pageSize` as numbers or as digits. Every field may be left out. */
export type InvoiceFilterInput = z.input<typeof invoiceFilter>;
export type InvoiceFilter = z.output<typeof invoiceFilter>;

/** One odd item does not make a page unreadable: what it says badly it does not say; no `id` is empty. */
const listedFields = z.looseObject({
  id: idRead.catch(""),
  title: textRead.catch(null),
  amount: moneyRead.catch(null),
  status: textRead.catch(null),
  payerName: textRead.catch(null),
  payerEmail: textRead.catch(null),
  dateCreated: timeRead.catch(null),
  datePaid: timeRead.catch(null),
});

/** A page of the list as the client reads it; unknown fields are kept. */
export const invoicePageRead = z.looseObject({
  items: listRequiredRead(z.preprocess(withStatus, listedFields)),
  page: numberRead,
  pageSize: numberRead,
  totalCount: numberRead,
  hasNextPage: flagRead,
  hasPreviousPage: flagRead,
});

export type ListedInvoice = z.output<typeof listedFields>;
export type InvoicePage = z.output<typeof invoicePageRead>;

/** A page of the list as the service writes it (interface, part A). */
export const invoicePageWritten = z
  .object({
    items: z.array(
      z
        .object({
          id: uuid,
          title: z.string(),
          amount: moneyWritten,
          status: z.enum(INVOICE_STATUSES),
          payerName: z.string(),
          payerEmail: z.string(),
          dateCreated: utcTime,
          datePaid: utcTime.nullable(),
        })
        .meta({ id: "ListedInvoice" }),
    ),
    page: z.int().min(1),
    pageSize: z.int().min(1),
    totalCount: z.int().min(0),
    hasNextPage: z.boolean(),
    hasPreviousPage: z.boolean(),
  })
  .meta({ id: "InvoicePage" });

export type InvoicePageWritten = z.input<typeof invoicePageWritten>;
