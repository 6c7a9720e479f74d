import { z } from "zod";
import { bothWays, id, money, oneOf, perhapsText, perhapsTime, text, time } from "./both-ways.ts";
import { moneyRequiredRead, moneyWritten } from "./money.ts";
import { day, text as givenText, searchText, uuid, wholeNumber } from "./strict-fields.ts";
import {
  flagRead,
  idRead,
  listRead,
  listRequiredRead,
  metadataRead,
  numberRead,
  textRead,
  textRequiredRead,
} from "./tolerant-fields.ts";

/** The statuses and types that the interface names (part A, Invoice). */
const INVOICE_STATUSES = ["Unpaid", "Paid", "Invalidated"] as const;
const INVOICE_TYPES = ["Live", "Test"] as const;

const invoice = bothWays({
  id,
  title: text,
  collectionName: text,
  payerName: text,
  payerEmail: text,
  payerPhoneNumber: perhapsText,
  billerName: text,
  billerAddress: perhapsText,
  billerEmail: perhapsText,
  amount: [moneyRequiredRead, moneyWritten],
  serviceCharge: money,
  vat: money,
  totalAmount: money,
  settleableAmount: money,
  status: [textRequiredRead, z.enum(INVOICE_STATUSES)],
  serviceFeePayer: oneOf("Payer", "Merchant"),
  settlementFrequency: oneOf("Daily", "Instant"),
  type: oneOf(...INVOICE_TYPES),
  paymentUrl: [textRead, z.string().meta({ format: "uri" })],
  dateCreated: time,
  dateModified: time,
  billerMetaData: [metadataRead, z.record(z.string(), z.string())],
  paymentDate: perhapsTime,
  paymentMethod: [textRead, z.enum(["Card", "BankTransfer", "USSD", "BankBranch"]).nullable()],
  invoiceBeneficiaries: [
    listRead(z.object({ linkedAccountId: textRequiredRead, amount: moneyRequiredRead }), null),
    z.array(z.object({ linkedAccountId: z.string(), amount: moneyWritten })).nullable(),
  ],
  callBackUrl: perhapsText,
});

const invoiceFields = z.object(invoice.read);

/**
 * An invoice as the client reads it. Id, status and amount must be there; any other field that is missing or
 * malformed is null. Money is a decimal string, times are the provider's own text (see `toUtc`), an unknown
 * status is kept as it is. Fields it does not know stay in the answer's `document`.
 */
export const invoiceRead = z.preprocess(withStatus, invoiceFields);

export type Invoice = z.output<typeof invoiceFields>;

/** Some answers say `invoiceStatus` where others say `status` (interface, part B). */
function withStatus(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("invoiceStatus" in value)) return value;
  return "status" in value && value.status !== null ? value : { ...value, status: value.invoiceStatus };
}

/** An invoice as the service writes it (interface, parts A and B). */
export const invoiceWritten = z
  .object(invoice.written)
  .meta({ id: "Invoice", description: "A requested payment and its state." });

export type InvoiceWritten = z.input<typeof invoiceWritten>;

/** The most items that one page may be asked for. */
const PAGE_SIZE_LIMIT = 1_000;

/** Which invoices of a collection are asked for, and which page of them (interface, part A). */
export const invoiceFilter = z
  .object({
    invoiceStatus: givenText(50)
      .optional()
      .meta({ enum: [...INVOICE_STATUSES], description: "In any case." }),
    search: searchText.optional().describe("Text to look for in title and payer."),
    startDate: day.optional(),
    endDate: day.optional(),
    invoiceType: givenText(50)
      .optional()
      .meta({ enum: ["Live", "Test"], description: "In any case." }),
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

/** An odd item does not make a page unreadable: its malformed fields are null, a malformed `id` is empty. */
const listed = bothWays({
  id: [idRead.catch(""), uuid],
  title: text,
  amount: money,
  status: oneOf(...INVOICE_STATUSES),
  payerName: text,
  payerEmail: text,
  dateCreated: time,
  datePaid: perhapsTime,
});

const listedFields = z.looseObject(listed.read);
const whole = z.int().min(1);

const page = bothWays({
  items: [
    listRequiredRead(z.preprocess(withStatus, listedFields)),
    z.array(z.object(listed.written).meta({ id: "ListedInvoice" })),
  ],
  page: [numberRead, whole],
  pageSize: [numberRead, whole],
  totalCount: [numberRead, z.int().min(0)],
  hasNextPage: [flagRead, z.boolean()],
  hasPreviousPage: [flagRead, z.boolean()],
});

/** A page of the list as the client reads it; unknown fields are kept. */
export const invoicePageRead = z.looseObject(page.read);

export type ListedInvoice = z.output<typeof listedFields>;
export type InvoicePage = z.output<typeof invoicePageRead>;

/** A page of the list as the service writes it (interface, part A). */
export const invoicePageWritten = z.object(page.written).meta({ id: "InvoicePage" });

export type InvoicePageWritten = z.input<typeof invoicePageWritten>;
