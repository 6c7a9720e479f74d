import { z } from "zod";
import { operations, problemsOf } from "../../../collection-api/contract/index.ts";
import { RelayError } from "../../../kit/errors.ts";
import { CALLBACK_VARIANTS } from "../callbacks/callback-request.ts";

const DAY_MS = 86_400_000;
const ms = z
  .int()
  .min(0)
  .max(30 * DAY_MS);

const operationNames = Object.keys(operations) as [keyof typeof operations, ...(keyof typeof operations)[]];

const callbackFaults = z.strictObject({
  delayMs: ms.default(0).describe("Callbacks leave so much later than the payment."),
  copies: z.int().min(1).max(20).default(1).describe("How often each callback is sent."),
  copyGapMs: ms.default(0).describe("The time from one copy to the next."),
  reorderWithinMs: ms
    .default(0)
    .describe("Callbacks of payments within one such span leave at its end in reverse, the last one first."),
  never: z.boolean().default(false).describe("Callbacks are queued, logged as withheld, and never sent."),
  variants: z
    .array(z.enum(CALLBACK_VARIANTS))
    .min(1)
    .default(["documented"])
    .describe("The shapes of the callbacks, one after the other."),
  paymentReadableAfterMs: ms
    .default(0)
    .describe("The callback is sent at once, but the API shows the payment only so much later."),
  paymentHiddenAs: z
    .enum(["Unpaid", "missing"])
    .default("Unpaid")
    .describe("What the API shows until then: the invoice unpaid, or no invoice at all (404)."),
});

/** What the API may answer on request. */
export const API_ANSWERS = [
  "normal",
  "429",
  "500",
  "401",
  "403",
  "404",
  "broken-json",
  "wrong-envelope",
  "half-answer",
  "hang-up",
] as const;

const apiFault = z.strictObject({
  operations: z
    .array(z.enum(operationNames))
    .min(1)
    .optional()
    .describe("The operations that it strikes; all when left out."),
  answer: z
    .enum(API_ANSWERS)
    .default("normal")
    .describe("What is answered instead; `normal` is for faults that only delay."),
  delayMs: ms.default(0).describe("The answer comes so much later."),
  retryAfterSeconds: z.int().min(0).max(86_400).default(1).describe("What a 429 says in Retry-After."),
  afterWork: z
    .boolean()
    .default(false)
    .describe("The operation is carried out all the same, only the answer is lost."),
  times: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe("How often it strikes; until reset when left out."),
  share: z.number().gt(0).max(1).default(1).describe("The share of requests that it strikes."),
});

const listFaults = z.strictObject({
  datesMean: z
    .enum(["creation", "payment"])
    .default("creation")
    .describe("What startDate and endDate of the list select by."),
  includesTest: z.boolean().default(true).describe("Whether a list without invoiceType holds Test invoices."),
  shiftTimes: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(0)
    .describe("Before so many pages are read, an invoice is created in the collection, so that pages shift."),
});

/** What goes wrong on request. Every field may be left out; `{}` is no fault at all. */
export const faultsSchema = z.strictObject({
  callback: callbackFaults.prefault({}),
  api: z.array(apiFault).max(100).default([]).describe("The first that matches a request strikes."),
  list: listFaults.prefault({}),
});

export type FaultsInput = z.input<typeof faultsSchema>;
export type Faults = z.output<typeof faultsSchema>;
export type ApiFault = z.output<typeof apiFault>;
export type CallbackFaults = z.output<typeof callbackFaults>;

export const NO_FAULTS: Faults = faultsSchema.parse({});

/**
 * Reads the setting COLLECTION_SERVICE_FAULTS: JSON as `PUT /_control/faults` takes it, such as
 * `{"callback":{"copies":2}}`. Left out or empty: no faults.
 * @throws RelayError that lists all that is wrong with it.
 */
export function parseFaults(text: string | undefined): Faults {
  if (text === undefined || text.trim() === "") return NO_FAULTS;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const message = `COLLECTION_SERVICE_FAULTS should be JSON such as {"callback":{"copies":2}}.`;
    throw new RelayError(message, { next: "refuse", cause });
  }
  const result = faultsSchema.safeParse(value);
  if (result.success) return result.data;
  const problems = problemsOf(result.error).map((problem) => `  ${problem}`);
  throw new RelayError(`COLLECTION_SERVICE_FAULTS needs attention:\n${problems.join("\n")}`, {
    next: "refuse",
  });
}
