import { z } from "zod";
import { withStatus } from "./invoice.ts";
import { moneyRead, moneyWritten } from "./money.ts";
import { day, searchText, text, utcTime, uuid, wholeNumber } from "./strict-fields.ts";
import { flagRead, idRead, listRequiredRead, numberRead, textRead, timeRead } from "./tolerant-fields.ts";

/** The most items that one page may be asked for. */
export const MOST_PAGE_SIZE = 1_000;

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
    pageSize: wholeNumber(1, MOST_PAGE_SIZE).optional(),
  })
  .refine(({ startDate, endDate }) => !startDate || !endDate || startDate <= endDate, {
    path: ["endDate"],
    error: "should not be before startDate",
  });

/** In: `page` and `pageSize` as numbers or as digits. Every field may be left out. */
export type InvoiceFilterInput = z.input<typeof invoiceFilter>;
export type InvoiceFilter = z.output<typeof invoiceFilter>;

/**
 * One odd item does not make a page unreadable: what it says badly it does not say; an `id` that is none is
 * empty.
 */
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
          status: z.enum(["Unpaid", "Paid", "Invalidated"]),
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
