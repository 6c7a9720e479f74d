import { z } from "zod";
import { type OperationName, operations } from "../../../collection-api/contract/index.ts";
import { anyUuid } from "../../../kit/setting-formats.ts";
import { GATEWAY_ANSWER_NAMES } from "./gateway-answers.ts";
import { duration, times } from "./when.ts";

export const operationNames = Object.keys(operations) as [OperationName, ...OperationName[]];

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
  "wrong-id",
  "half-answer",
  "hang-up",
  ...GATEWAY_ANSWER_NAMES,
] as const;

export const apiFault = z.strictObject({
  operations: z
    .array(z.enum(operationNames))
    .min(1)
    .optional()
    .describe("The operations that it strikes; all when left out."),
  ids: z
    .array(anyUuid)
    .min(1)
    .max(10_000)
    .optional()
    .describe("The invoices or collections that it strikes, by the id in the path; all when left out."),
  answer: z
    .enum(API_ANSWERS)
    .default("normal")
    .describe("What is answered instead; `normal` is for faults that only delay."),
  delayMs: duration.default(0).describe("The answer comes so much later."),
  retryAfterSeconds: z.int().min(0).max(86_400).default(1).describe("What a 429 says in Retry-After."),
  afterWork: z
    .boolean()
    .default(false)
    .describe("The operation is carried out all the same, only the answer is lost."),
  times,
  share: z.number().gt(0).max(1).default(1).describe("The share of requests that it strikes."),
});

export type ApiFault = z.output<typeof apiFault>;
