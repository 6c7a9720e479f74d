import { z } from "zod";
import {
  answeredId,
  bodyShown,
  day,
  decimal,
  id,
  pageInQuery,
  pageOf,
  reason,
  time,
  toldVerdict,
} from "./fields.ts";

const AMOUNT = /^\d{1,20}(\.\d{1,10})?$/;

export const invoiceQuery = z.object({
  ...pageInQuery.shape,
  id: id.optional(),
  reference: z.string().max(1_000).optional().describe("The merchant's reference; exact match."),
  amount: z
    .string()
    .regex(AMOUNT, "should be an amount such as 1500.50")
    .optional()
    .describe("The total, or the amount without charges."),
  from: day.optional().describe("Paid on this day (UTC) or later; sorts the list by payment date."),
  to: day.optional().describe("Paid on this day (UTC) or earlier."),
  collection: z.string().optional().describe("The collection's name, as it appears in invoices."),
  verdict: toldVerdict.optional(),
  source: z.string().optional(),
});

/** In a body, so that no e-mail address appears in a URL. */
export const invoiceSearch = z.strictObject({
  ...invoiceQuery.shape,
  email: z.string().max(320).optional().describe("The payer's full address, in any case."),
  text: z
    .string()
    .max(1_000)
    .optional()
    .describe("An id, e-mail address, day, reference or amount, recognised by its form."),
});

export const listedInvoice = z.object({
  invoiceId: answeredId,
  source: z.string(),
  status: z.string().nullable().describe("The provider's status; null if it has not confirmed the invoice."),
  type: z.string().nullable(),
  reference: z.string().nullable(),
  collection: z.string().nullable(),
  amount: decimal.nullable(),
  totalAmount: decimal.nullable(),
  paidAt: time.nullable(),
  confirmedAt: time.nullable(),
  verdict: toldVerdict.nullable(),
  event: z
    .enum(["due", "claimed", "held", "dead", "published", "lost"])
    .nullable()
    .describe("The state of its event; null without one."),
  eventId: answeredId.nullable().describe("Null without an event."),
});
export const invoicePage = pageOf(listedInvoice);
export type ListedInvoice = z.output<typeof listedInvoice>;
export type InvoicePage = z.output<typeof invoicePage>;

/** A field that the callback claimed, next to the provider's answer. */
const compared = z.object({
  field: z.string().describe("Its path in the claim, such as data.amount."),
  claimed: z.string(),
  answered: z.string().nullable().describe("null if the answer has no such field."),
  same: z.boolean().nullable().describe("null if there is nothing to compare."),
});

export const invoiceEvidence = z.object({
  invoiceId: answeredId,
  claims: z
    .array(
      z.object({
        callbackId: answeredId,
        source: z.string(),
        receivedAt: time,
        foundBy: z.string().nullable(),
        invoiceIds: z.array(answeredId),
        ...bodyShown,
        erasedAt: time.nullable(),
        compared: z.array(compared).describe("Empty if the claim is neither JSON nor a form."),
      }),
    )
    .describe("The newest callbacks that named it, newest first: at most five, and a MiB."),
  answers: z
    .array(
      z.object({
        source: z.string(),
        newest: z.boolean(),
        status: z.string(),
        askedAt: time,
        document: z.string().describe("The provider's JSON, digit for digit."),
        erasedAt: time.nullable(),
      }),
    )
    .describe("The provider's answers, newest first: at most twenty, and a MiB."),
  leftOut: z
    .object({ claims: z.int(), answers: z.int() })
    .describe("How many of the five and the twenty are not here: they are too large."),
  events: z.array(
    z.object({
      source: z.string(),
      id: answeredId,
      type: z.string(),
      createdAt: time,
      state: z.enum(["due", "claimed", "held", "dead", "published", "lost"]),
      payload: z.string().describe("Exactly as published."),
      erasedAt: time.nullable(),
      publications: z.array(
        z.object({
          topicArn: z.string(),
          messageId: z.string(),
          publishedAt: time,
          replayId: answeredId.nullable(),
        }),
      ),
    }),
  ),
});
export type InvoiceEvidence = z.output<typeof invoiceEvidence>;

export const againRequest = z.strictObject({
  source: z.string().optional().describe("The source, if several know the invoice."),
  reason,
  dryRun: z.boolean().default(false),
});
