import { z } from "zod";
import { seenCollections } from "../../confirm/invoices/seen-collections.ts";
import { readAs } from "../../kit/problems.ts";
import { addDays, dayOf } from "../../kit/time.ts";
import { findInvoices, searchInvoices } from "../find-invoices.ts";
import { amountIn } from "../find-meaning.ts";
import {
  answeredId,
  collection,
  day,
  decimal,
  eventState,
  id,
  name,
  pageFrom,
  pageInQuery,
  pageOf,
  shownVerdict,
  source,
  time,
  timeGiven,
} from "./fields.ts";
import { operationsAbout } from "./operation.ts";

const { get, post } = operationsAbout("Invoices");

const terms = {
  id: id.optional().describe("only this invoice"),
  reference: name(1_000).optional().describe("only those with this merchant reference"),
  status: name(100)
    .optional()
    .describe("only those with this status at the provider, such as Paid; in any case"),
  amount: readAs(amountIn, "should be an amount such as 1500.50")
    .optional()
    .describe("only those with this amount, with or without charges"),
  from: day.optional().describe("only those paid on this day (UTC) or later"),
  to: day.optional().describe("only those paid on this day (UTC) or earlier"),
  confirmedFrom: timeGiven
    .optional()
    .describe("only those confirmed on this day (UTC), at this time, or later; sorts by confirmation"),
  confirmedTo: z
    .string()
    // A day is meant whole.
    .transform((text) => (z.iso.date().safeParse(text).success ? addDays(text, 1) : text))
    .pipe(timeGiven)
    .optional()
    .describe(
      "only those confirmed on this day (UTC) or earlier, or before this time; sorts by confirmation",
    ),
  collection,
  verdict: shownVerdict.optional().describe("only those with this verdict; dead: given up"),
  source,
};

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
      email: name(320).optional().describe("The payer's full address, in any case."),
      payer: name(320).optional().describe("Words of the payer's name, in any order and case."),
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
