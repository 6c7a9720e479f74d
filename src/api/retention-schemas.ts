import { z } from "zod";
import { reason, time } from "./fields.ts";

export const retentionRequest = z.strictObject({ reason, dryRun: z.boolean().default(false) });
export const retentionResult = z.object({
  dryRun: z.boolean(),
  before: time,
  partitions: z.array(
    z.object({
      name: z.string(),
      to: time,
      callbacks: z.number().int().describe("Exact up to ten thousand, else about."),
      kept: z.number().int(),
    }),
  ),
  stragglers: z.number().int(),
  unknownConfirmations: z.number().int(),
  stays: z.strictObject({ name: z.string(), why: z.enum(["busy", "not_allowed"]) }).nullable(),
  personalData: z
    .object({ before: time, invoices: z.number().int(), more: z.boolean(), stuck: z.string().nullable() })
    .nullable(),
  failed: z
    .array(z.object({ chore: z.string(), error: z.string() }))
    .describe("What could not be done; all else was. The next run tries again."),
});
