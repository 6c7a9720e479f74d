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
  reference: z.string().max(1_000).optional().meta({ description: "The merchant's own, exactly." }),
  amount: z
    .string()
    .regex(AMOUNT, "should be an amount such as 1500.50")
    .optional()
    .meta({ description: "The total, or the amount without charges." }),
  from: day
    .optional()
    .meta({ description: "Paid on this day (UTC) or later; the list is then in the order of payment." }),
  to: day.optional().meta({ description: "Paid on this day (UTC) or earlier." }),
  collection: z.string().optional().meta({ description: "The collection's name, as invoices carry it." }),
  verdict: toldVerdict.optional(),
  source: z.string().optional(),
});

/** In a body, so that no address stands in a URL. */
export const invoiceSearch = z.strictObject({
  ...invoiceQuery.shape,
  email: z.string().max(320).optional().meta({ description: "The payer's, whole; compared without case." }),
  text: z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: "An id, e-mail address, day, reference or amount, told apart by how it looks." }),
});

export const listedInvoice = z.object({
  invoiceId: answeredId,
  source: z.string(),
  status: z.string().nullable().meta({ description: "The provider's; null when it has confirmed nothing." }),
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
    .meta({ description: "Where its event stands; null when it has none." }),
});
export const invoicePage = pageOf(listedInvoice);
export type ListedInvoice = z.output<typeof listedInvoice>;
export type InvoicePage = z.output<typeof invoicePage>;

/** A field of what the callback claimed, beside the provider's answer. */
const compared = z.object({
  field: z.string().meta({ description: "Where it stands in the claim, such as data.amount." }),
  claimed: z.string(),
  answered: z.string().nullable().meta({ description: "null when the answer has no such field." }),
  same: z.boolean().nullable().meta({ description: "null when there is nothing to compare with." }),
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
        compared: z.array(compared).meta({ description: "Empty where the claim is not JSON or a form." }),
      }),
    )
    .meta({ description: "The newest five callbacks that named it, the newest first." }),
  answers: z
    .array(
      z.object({
        source: z.string(),
        newest: z.boolean(),
        status: z.string(),
        askedAt: time,
        document: z.string().meta({ description: "The provider's JSON, to the digit." }),
        erasedAt: time.nullable(),
      }),
    )
    .meta({ description: "What the provider answered, the newest first; at most twenty." }),
  events: z.array(
    z.object({
      source: z.string(),
      id: answeredId,
      type: z.string(),
      createdAt: time,
      state: z.enum(["due", "claimed", "held", "dead", "published", "lost"]),
      payload: z.string().meta({ description: "Exactly as it is published." }),
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
  source: z.string().optional().meta({ description: "Of the sources that know it, only this one." }),
  reason,
  dryRun: z.boolean().default(false),
});
