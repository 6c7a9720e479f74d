import { z } from "zod";
import { answeredId, decimal, time } from "./fields.ts";
import { upstreamList } from "./schemas.ts";

export const activityQuery = z.object({
  minutes: z.coerce.number().int().min(1).max(180).default(60).describe("How far back."),
});

const count = z.number().int().nullable().describe("null while it is still being counted.");

export const minute = z.object({
  at: time.describe("The start of the minute."),
  received: count.describe("Callbacks recorded."),
  confirmed: count.describe("Payments confirmed for the first time, each with a new event."),
  published: count.describe("Acceptances by SNS, replays left out."),
});

export const activity = z.object({
  at: time,
  minutes: z.array(minute).describe("Oldest first; the last minute is still running."),
  latency: z
    .object({
      p50Ms: z.number(),
      p95Ms: z.number(),
      p99Ms: z.number(),
      payments: z.number().int().describe("How many of the newest payments it is based on."),
    })
    .nullable()
    .describe("From the callback to SNS accepting the event; null without payments."),
  oldest: z.object({
    confirmationSeconds: z.number().describe("How long the oldest due confirmation is overdue."),
    eventSeconds: z.number().describe("Age of the oldest event that should be published."),
  }),
  upstreams: upstreamList,
});
export type Activity = z.output<typeof activity>;

/** One thing that happened, on the stream. */
export const happening = z.object({
  what: z.enum(["confirmed", "published"]),
  at: time,
  invoiceId: answeredId,
  source: z.string(),
  reference: z.string().nullable(),
  collection: z.string().nullable(),
  totalAmount: decimal.nullable(),
});
export type Happening = z.output<typeof happening>;
