import { z } from "zod";
import { answeredId, decimal, time } from "./fields.ts";
import { upstreamList } from "./schemas.ts";

export const activityQuery = z.object({
  minutes: z.coerce.number().int().min(1).max(180).default(60).meta({ description: "How far back." }),
});

const count = z.number().int().nullable().meta({ description: "null while it is still being counted." });

export const minute = z.object({
  at: time.meta({ description: "When the minute began." }),
  received: count.meta({ description: "Callbacks recorded." }),
  confirmed: count.meta({ description: "Payments confirmed for the first time: their events were made." }),
  published: count.meta({ description: "Acceptances by SNS, replays left out." }),
});

export const activity = z.object({
  at: time,
  minutes: z.array(minute).meta({ description: "The oldest first; the last one is not over yet." }),
  latency: z
    .object({
      p50Ms: z.number(),
      p95Ms: z.number(),
      p99Ms: z.number(),
      payments: z.number().int().meta({ description: "How many of the newest it is taken from." }),
    })
    .nullable()
    .meta({
      description: "From the callback that asked to SNS' acceptance of the event; null without payments.",
    }),
  oldest: z.object({
    confirmationSeconds: z.number().meta({ description: "How long the oldest due confirmation is overdue." }),
    eventSeconds: z.number().meta({ description: "Age of the oldest event that should be published." }),
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
