import { z } from "zod";
import { seenCollections } from "../../confirm/invoices/seen-collections.ts";
import { dayOf } from "../../kit/time.ts";
import { findInvoices, searchInvoices } from "../find-invoices.ts";
import { personalTerms, terms } from "../invoice-terms.ts";
import {
  answeredId,
  decimal,
  eventState,
  pageFrom,
  pageInQuery,
  pageOf,
  shownVerdict,
  time,
} from "./fields.ts";
import { operationsAbout } from "./operation.ts";

const { get, post } = operationsAbout("Invoices");

const listed = z.object({
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
  verdict: shownVerdict.nullable(),
  event: eventState.nullable().describe("The state of its event; null without one."),
  eventId: answeredId.nullable().describe("Null without an event."),
});

export const findOperations = [
  get("listInvoices", "/invoices", {
    summary: "List payments, the newest first; by reference, status, day, collection or amount",
    query: z.object({ ...terms, ...pageInQuery.shape }),
    example: { query: { from: "2026-11-01", to: "2026-11-30", collection: "School fees" } },
    result: pageOf(listed),
    run: async ({ db }, { query: { cursor: from = null, limit, ...terms } }) =>
      pageFrom(await findInvoices(db, terms, { from, limit })),
  }),
  post("searchInvoices", "/invoices/search", {
    role: "read",
    summary: "Find payments by whatever a person has of them; the payer's name and e-mail stay out of URLs",
    body: z.strictObject({
      ...terms,
      ...pageInQuery.shape,
      ...personalTerms,
      text: z
        .string()
        .max(1_000)
        .optional()
        .describe(
          "An id or what it begins with, an e-mail address, reference, amount, day or payer's name, recognised " +
            "by its form.",
        ),
    }),
    example: { body: { text: "NGN 40,645.00" } },
    result: pageOf(listed).extend({
      searched: z
        .array(z.string())
        .describe("What was looked for, in words, in this order; all but the last found nothing."),
      others: z
        .array(z.object({ what: z.enum(["callback", "certificate", "replay"]), id: answeredId, at: time }))
        .describe("What else has an id that begins so; on the first page only."),
    }),
    async run({ db }, { body: { cursor: from = null, limit, text = "", ...terms } }) {
      const today = dayOf(new Date());
      const { searched, others, ...page } = await searchInvoices(
        db,
        { ...terms, text, today },
        { from, limit },
      );
      return { ...pageFrom(page), searched, others };
    },
  }),
  get("listCollections", "/collections", {
    summary: "Name the collections that the last payments of each source were in",
    result: z.object({ items: z.array(z.object({ source: z.string(), name: z.string() })) }),
    run: async ({ db }) => ({ items: await seenCollections(db) }),
  }),
] as const;
