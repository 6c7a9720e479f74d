import { z } from "zod";
import { answeredId, id, limitInQuery, reason, time, verdict } from "./fields.ts";

const topicArn = z.string().regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?$/);

export const idInPath = z.object({ id: id.describe("The id of an invoice, event or replay.") });
export const undeliveredFilters = z.strictObject({
  kind: z.enum(["confirmation", "event"]).optional().describe("Only for dead letters."),
  source: z.string().optional(),
  collection: z.string().optional().describe("The collection's name, as it appears in invoices."),
  from: time.optional().describe("Waiting since this time or later."),
  to: time.optional().describe("Waiting since before this time."),
});

export const undeliveredQuery = z.object({ ...undeliveredFilters.shape, ...limitInQuery.shape });

export const undeliveredChoice = z
  .strictObject({
    ids: z.array(id).min(1).max(1_000).optional(),
    source: z.string().optional().describe("The source, for ids that several know."),
    filters: undeliveredFilters.optional(),
    reason,
    dryRun: z.boolean().default(false),
  })
  .refine((choice) => (choice.ids === undefined) !== (choice.filters === undefined), {
    error: "should have either ids or filters; empty filters match everything",
  })
  .refine((choice) => choice.source === undefined || choice.ids !== undefined, {
    error: "source goes with ids; filters have their own",
  });

const undeliveredItem = z.object({
  kind: z.enum(["confirmation", "event"]),
  invoiceId: answeredId,
  eventId: answeredId.nullable(),
  source: z.string(),
  collection: z.string().nullable(),
  reference: z.string().nullable(),
  amount: z.string().nullable().describe("The total, as a decimal string."),
  since: time,
  attempts: z.number().int(),
  error: z.string().nullable(),
  dismissedAt: time.nullable(),
});

export const undeliveredList = z.object({ total: z.number().int(), items: z.array(undeliveredItem) });
export const undeliveredResult = z.object({
  dryRun: z.boolean(),
  count: z.number().int(),
  items: z.array(undeliveredItem).describe("The first hundred of them."),
});
export const undeliveredEvidence = z.object({
  items: z.array(
    undeliveredItem.extend({
      confirmation: z.record(z.string(), z.unknown()).nullable(),
      event: z.record(z.string(), z.unknown()).nullable(),
      invoice: z.record(z.string(), z.unknown()).nullable(),
      callbacks: z.array(z.record(z.string(), z.unknown())),
    }),
  ),
});

const replayKind = z.enum(["confirmations", "callbacks", "events"]);
const replayFilters = z.strictObject({
  from: time.optional(),
  to: time.optional().describe("Now by default."),
  invoiceIds: z.array(id).min(1).max(1_000).optional(),
  collection: z.string().optional().describe("The collection's name, as it appears in invoices."),
  verdict: verdict.optional(),
  source: z.string().optional(),
  eventType: z.string().optional().describe("Only for events."),
  callbackIds: z.array(id).min(1).max(1_000).optional().describe("Only for callbacks: just these."),
  refused: z.boolean().optional().describe("Only for callbacks: include refused ones."),
});
const topicTarget = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("topics") }),
  z.strictObject({ kind: z.literal("other_topic"), topicArn }),
]);

export const replayRequest = z.strictObject({
  kind: replayKind,
  filters: replayFilters.default({}),
  target: topicTarget
    .default({ kind: "topics" })
    .describe(
      "Where events go. Another topic must be in REPLAY_TOPIC_ARNS; only the command line writes files.",
    ),
  rate: z.number().int().min(1).max(100_000).optional().describe("The most per second."),
  reason,
  dryRun: z
    .boolean()
    .default(false)
    .describe("Only says what it would do: one of a kind at a time, ten minutes at most."),
});

export const replay = z.object({
  id: answeredId,
  kind: replayKind,
  state: z.enum(["running", "done", "failed", "cancelled"]),
  filters: z.record(z.string(), z.unknown()),
  target: z.record(z.string(), z.unknown()),
  rate: z.number().int(),
  requestedBy: z.string(),
  requestedAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  matching: z.number().int(),
  handled: z.number().int(),
  opened: z.number().int(),
  sent: z.number().int(),
  refused: z.number().int(),
  underWay: z.boolean(),
  waitsFor: z.string().nullable(),
  lastError: z.string().nullable(),
});

const plan = z.object({
  kind: replayKind,
  filters: z.record(z.string(), z.unknown()),
  target: z.record(z.string(), z.unknown()),
  matching: z.number().int(),
  withNewIds: z.number().int().nullable(),
  first: z.array(
    z.object({
      invoiceIds: z.array(answeredId),
      eventId: answeredId.nullable(),
      callbackId: answeredId.nullable(),
      source: z.string(),
      at: time,
      about: z.string(),
    }),
  ),
});

export const replayStarted = z.object({
  replay: replay.nullable().describe("null for a dry run or when nothing matches."),
  plan: plan.nullable().describe("Of a dry run."),
});
export const replayList = z.object({ replays: z.array(replay) });
export const replayShown = z.object({
  replay,
  refusals: z.array(
    z.object({
      eventId: answeredId,
      source: z.string(),
      invoiceId: answeredId.nullable(),
      error: z.string(),
    }),
  ),
});

export const resumeRequest = z.strictObject({
  work: z.enum(["confirm", "publish"]),
  source: z.string().optional().describe("All by default."),
  reason,
});
export const pauseRequest = resumeRequest.extend({
  until: time.optional().describe("When it ends automatically; by default when it is resumed."),
});
export const pauseResult = z.object({
  work: z.enum(["confirm", "publish"]),
  changed: z.array(z.string()),
  unchanged: z.array(z.string()),
  unknown: z.array(z.string()),
});
const upstream = z.object({
  name: z.string(),
  state: z.enum(["closed", "backing_off", "half_open", "refused", "paused"]),
  pausedBy: z.string().nullable(),
  pausedAt: time.nullable(),
  pausedUntil: time.nullable(),
  pauseReason: z.string().nullable(),
  lastError: z.string().nullable(),
  opensAt: time.nullable().describe("While backing off: until when."),
});
export const upstreamList = z.object({ sources: z.array(upstream), topics: z.array(upstream) });

export const reasonRequest = z.strictObject({ reason });
export const eraseRequest = z.strictObject({ reason, dryRun: z.boolean().default(false) });
export const erased = z.object({
  dryRun: z.boolean(),
  invoiceId: answeredId,
  found: z.boolean().describe("Whether anything is stored about this invoice."),
  callbacks: z.number().int(),
  snapshots: z.number().int(),
  invoices: z.number().int(),
  events: z.number().int(),
  confirmations: z.number().int(),
  left: z
    .array(z.object({ id: answeredId, receivedAt: time, source: z.string() }))
    .describe(
      "Callbacks that carry its reference, which another invoice has too: up to a hundred, to look at.",
    ),
});

export const auditQuery = z.object({
  ...limitInQuery.shape,
  invoiceId: id.optional(),
  actor: z.string().optional(),
  action: z.string().optional().describe("The action or its first part: dead for dead.retry."),
  subject: z.string().optional(),
  from: time.optional(),
  to: time.optional(),
  before: z.coerce
    .number()
    .int()
    .optional()
    .describe("Only entries older than the one with this id, for the next page."),
});
export const auditList = z.object({
  entries: z.array(
    z.object({
      id: z.number().int(),
      at: time,
      actor: z.string(),
      action: z.string(),
      subject: z.string(),
      invoiceId: answeredId.nullable(),
      detail: z.record(z.string(), z.unknown()),
    }),
  ),
});

export const period = z.strictObject({
  from: z.iso.date().describe("The first day, UTC."),
  to: z.iso.date().describe("The last day, UTC."),
  collection: id.optional().describe("One of COLLECTION_IDS; all by default."),
});
export const certifyRequest = period.extend({
  deep: z
    .boolean()
    .default(false)
    .describe("Ask the provider about every invoice of the period again, to see what lists do not show."),
});
export const reconcileRequest = period.extend({
  reason,
  publish: z
    .boolean()
    .default(false)
    .describe("Also publish payments from before the first serve, which are only recorded otherwise."),
});
/** The body of every refusal. */
export const problem = z.object({ error: z.string() });
export const anything = z.unknown().describe("As the command of the same name prints it with --json.");
