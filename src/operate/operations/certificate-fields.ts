import { z } from "zod";
import type { Basis, Reason } from "../../reconcile/certificate/certificate.ts";
import { signatureSchema } from "../../signing/verify-signed.ts";
import { answeredId, decimal, whole } from "./fields.ts";

// What a certificate holds, as the admin API describes it.

export const result = z.enum(["equal", "not_equal", "refused"]);
export const weight = z.enum(["gap", "difference", "note"]);
const tally = z.object({ count: whole, amount: decimal });
export const totals = z.object({
  paid: tally,
  stored: tally,
  published: tally,
  missing: tally.describe("Paid and not accepted on the right topic."),
  differences: whole.describe("Other differences that could hide money."),
});

export const difference = z.object({
  invoiceId: answeredId.nullable(),
  eventId: answeredId.nullable(),
  reason: z.custom<Reason>((reason) => typeof reason === "string"),
  detail: z.string(),
  weight,
  day: z.string(),
  amount: decimal.nullable(),
});

export const head = z.object({
  id: answeredId,
  source: z.string(),
  result,
  refusals: z.array(z.string()),
  scope: z.enum(["source", "collection"]),
  collections: z.array(z.object({ id: answeredId, name: z.string().nullable() })),
  currency: z.string().describe("Of all its amounts, ISO 4217."),
  from: z.string(),
  to: z.string(),
  madeAt: z.string(),
  basis: z.custom<Basis>().describe("What it is based on: the lists that were read, and how."),
  days: z.array(z.object({ day: z.string(), ...totals.shape })),
  total: totals,
  test: tally,
  foreign: tally.describe("Of collections that are not ours; included nowhere else."),
  gaps: whole,
  differencesInAll: whole,
  ledger: z
    .object({ size: z.string(), root: z.string() })
    .nullish()
    .describe("The source's ledger when it was issued, if it had one."),
  signature: signatureSchema
    .nullish()
    .describe("Over the whole certificate, which `/certificates/{id}/json` is; null: it is unsigned."),
});
