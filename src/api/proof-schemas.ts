import { z } from "zod";
import { answeredId, day, decimal, id, limitInQuery, time } from "./fields.ts";

const result = z.enum(["equal", "not_equal", "refused"]);
const tally = z.object({ count: z.number().int(), amount: decimal });
const totals = z.object({
  paid: tally,
  stored: tally,
  published: tally,
  missing: tally.describe("Paid and not accepted on the right topic."),
  differences: z.number().int().describe("Other differences that could hide money."),
});

export const certificateQuery = z.object({
  ...limitInQuery.shape,
  from: day.optional().describe("Only those that end on this day of payment or later."),
  to: day.optional().describe("Only those that begin on this day of payment or earlier."),
  source: z.string().optional(),
  collection: id.optional().describe("Only those over this collection."),
  result: result.optional(),
});

const listedCertificate = z.object({
  id: answeredId,
  source: z.string(),
  collections: z.array(answeredId),
  from: time,
  to: time.describe("Payments before this time."),
  daily: z.boolean(),
  result: result.nullable().describe("null while it is being made."),
  gaps: z.number().int().nullable(),
  differences: z.number().int().nullable(),
  paid: z.number().int().nullable(),
  paidAmount: decimal.nullable(),
  madeAt: time.nullable(),
  lastError: z.string().nullable(),
});
export const certificateList = z.object({ certificates: z.array(listedCertificate) });

export const calendarQuery = z.object({
  from: day,
  to: day.describe("Included; at most 400 days after `from`."),
  source: z.string().optional(),
});

const calendarDay = z.object({
  day,
  source: z.string(),
  certificateId: answeredId,
  madeAt: time,
  result: result.describe("Of this day alone: equal unless something is missing or different."),
  ...totals.shape,
});
export const calendar = z.object({
  days: z
    .array(calendarDay)
    .describe("From the newest certificate that covers each day; days without one are left out."),
  firstServed: z
    .array(z.object({ source: z.string(), at: time.nullable() }))
    .describe("Nothing is proven before this day."),
});
export type Calendar = z.output<typeof calendar>;

export const certificateShownQuery = z.object({
  day: day.optional().describe("Only the differences of this day."),
  weight: z.enum(["gap", "difference", "note"]).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100).describe("The most differences to list."),
  after: z.coerce.number().int().min(0).default(0).describe("`next` of the previous page."),
});

const difference = z.object({
  invoiceId: answeredId.nullable(),
  eventId: answeredId.nullable(),
  reason: z.string(),
  detail: z.string(),
  weight: z.enum(["gap", "difference", "note"]),
  day: z.string(),
  amount: decimal.nullable(),
});

export const certificateShown = z.object({
  certificate: z.looseObject({
    id: answeredId,
    source: z.string(),
    result,
    refusals: z.array(z.string()),
    scope: z.enum(["source", "collection"]),
    collections: z.array(z.object({ id: answeredId, name: z.string().nullable() })),
    from: z.string(),
    to: z.string(),
    madeAt: z.string(),
    total: totals,
    test: tally,
    gaps: z.number().int(),
    differencesInAll: z.number().int(),
    days: z.array(z.object({ day: z.string(), ...totals.shape })),
  }),
  differences: z.array(difference).describe("Gaps first, then differences, then notes."),
  matching: z.number().int().describe("How many match, of those that the certificate names."),
  next: z.number().int().nullable().describe("null at the end."),
});
export type CertificateShown = z.output<typeof certificateShown>;

/**
 * Lines of NDJSON, if the Accept header asks for `application/x-ndjson`: any number of the first kind, then
 * one of the others. The status is always 200, because it is sent before the result is known.
 */
export const progressLine = z.union([
  z.object({
    progress: z.object({
      source: z.string(),
      collectionId: answeredId.nullable(),
      step: z.enum(["lists", "invoices", "books"]),
      done: z.number().int(),
      total: z.number().int().nullable(),
    }),
  }),
  z.object({ result: z.unknown() }),
  z.object({ error: z.string() }),
]);
export type ProgressLine = z.output<typeof progressLine>;
