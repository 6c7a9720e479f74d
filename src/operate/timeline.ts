import { z } from "zod";
import { VERDICTS } from "../confirm/queue/confirmation.ts";
import { answeredId, eventState, time, whole } from "./operations/fields.ts";

const verdict = z.enum(VERDICTS).nullable();
const pausedBy = z.enum(["operator", "refused"]).nullable();
const openedBy = z.enum(["callback", "reconcile", "replay", "operator"]);
const text = z.string();

const entry = <const Kind extends string, Fields extends z.ZodRawShape>(kind: Kind, fields: Fields) =>
  z.object({ kind: z.literal(kind), at: time, ...fields });

/** Everything that the tables say about one invoice; no personal data, no document, no secret. */
export const timeline = z.object({
  invoiceId: answeredId,
  at: time.describe("When it was read, by Postgres' clock, which all times in it are of."),
  invoices: z
    .array(
      z.object({
        source: text,
        status: text,
        type: text.nullable(),
        collectionName: text.nullable(),
        reference: text.nullable(),
        totalAmount: text.nullable().describe("A decimal string, exact."),
        paidAt: time.nullable(),
        confirmedAt: time,
        erasedAt: time.nullable(),
      }),
    )
    .describe("The newest confirmed answer of each source that has one."),
  confirmations: z
    .array(
      z.object({
        source: text,
        state: z.enum(["due", "claimed", "done", "dead"]),
        verdict,
        priority: text,
        requests: whole.describe("How often it was asked for: callbacks, reconcile, replays."),
        attempt: whole.describe("Answers that called for another try."),
        faults: whole.describe("Failures in a row."),
        dueAt: time,
        claimedUntil: time.nullable(),
        lastError: text.nullable(),
        sourcePausedBy: pausedBy,
        sourceOpensAt: time.nullable().describe("While the source backs off: until when."),
        sourceError: text.nullable(),
      }),
    )
    .describe("One for each source that asked."),
  events: z
    .array(
      z.object({
        source: text,
        id: answeredId,
        type: text,
        state: eventState,
        attempt: whole,
        dueAt: time.nullable().describe("null once it is published."),
        lastError: text.nullable(),
      }),
    )
    .describe("One for each source that has one."),
  entries: z
    .array(
      z.discriminatedUnion("kind", [
        entry("callback", {
          id: answeredId,
          source: text,
          method: text,
          remoteAddress: text.nullable(),
          foundBy: text.nullable(),
          verdict: text.nullable(),
          bytes: whole.nullable().describe("null once its personal data was erased."),
        }),
        entry("confirmation", { source: text, openedBy }),
        entry("paid", { source: text }),
        entry("answer", { source: text, status: text }),
        entry("verdict", { source: text, verdict, state: z.enum(["done", "dead"]) }),
        entry("event", { source: text, id: answeredId, type: text }),
        entry("publication", {
          source: text,
          topicArn: text,
          messageId: text,
          replayId: answeredId.nullable(),
          replayedBy: text.nullable().describe("Who asked for that replay."),
        }),
        entry("ask_failed", { source: text, error: text }),
        entry("send_failed", { source: text, error: text }),
        entry("action", { actor: text, action: text, subject: text, reason: text.nullable() }),
        entry("alarm", { source: text, name: text, detail: text, times: whole }),
        entry("alarm_cleared", { source: text, name: text }),
      ]),
    )
    .describe("In the order of time."),
  furtherCallbacks: whole.describe("Callbacks beyond those among the entries."),
  closedTopics: z
    .array(z.object({ arn: text, pausedBy, opensAt: time.nullable(), lastError: text.nullable() }))
    .describe("Topics that accept nothing now."),
  meaning: z.array(text).describe("What it means and what happens next, a sentence or two each."),
});

export type Timeline = Omit<z.output<typeof timeline>, "meaning">;
export type TimelineEntry = Timeline["entries"][number];
export type TimelineInvoice = Timeline["invoices"][number];
export type TimelineConfirmation = Timeline["confirmations"][number];
export type TimelineEvent = Timeline["events"][number];
export type ClosedTopic = Timeline["closedTopics"][number];

/** What is listed first when two entries carry the same time. */
const ORDER: Record<TimelineEntry["kind"], number> = {
  paid: 0,
  callback: 1,
  confirmation: 2,
  answer: 3,
  ask_failed: 4,
  verdict: 5,
  action: 6,
  event: 7,
  send_failed: 8,
  publication: 9,
  alarm: 10,
  alarm_cleared: 11,
};

export const byTime = (one: TimelineEntry, other: TimelineEntry): number =>
  +one.at - +other.at || ORDER[one.kind] - ORDER[other.kind];
