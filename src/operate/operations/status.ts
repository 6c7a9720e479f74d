import { z } from "zod";
import { ALARM_NAMES } from "../../alarms/alarm-definitions.ts";
import { VERDICTS } from "../../confirm/queue/confirmation.ts";
import { mayAct } from "../../kit/admin-token.ts";
import { NEED_PAGES } from "../need.ts";
import { readStatus } from "../status-facts.ts";
import { alarm, openAlarms, severity } from "./alarms.ts";
import { answeredId, countGiven, decimal, time, whole } from "./fields.ts";
import { operationsAbout, settingsShown } from "./operation.ts";
import { upstream, upstreamList } from "./upstreams.ts";

const { get } = operationsAbout("Status");

const waitingWork = z.array(z.object({ source: z.string(), count: whole, oldestSeconds: z.number() }));

export const status = z.object({
  sentence: z.string().describe("How the relay is doing, in one sentence."),
  needsPerson: z.boolean(),
  needs: z.array(
    z.object({
      severity,
      what: z.string(),
      count: whole.describe("How many things it concerns."),
      oldestAt: time.nullable(),
      newestAt: time.nullable(),
      action: z.string(),
      alarm: z.enum(ALARM_NAMES).nullable().describe("The alarm that tells of it."),
      command: z.string().nullable().describe("To begin with, after `invoice-relay`."),
      page: z.enum(NEED_PAGES).nullable().describe("Where the console does it."),
    }),
  ),
  at: time,
  settings: z.object({
    sources: z
      .array(
        z.object({
          name: z.string(),
          reconciliation: z.enum(["on", "none", "unset"]),
          collectionIds: z.array(answeredId).readonly(),
        }),
      )
      .readonly()
      .nullable(),
    intervalMs: whole,
  }),
  alarms: z.array(alarm).describe("The newest open ones; openAlarms counts them all."),
  openAlarms: openAlarms.describe("One for each name, the most urgent first."),
  upstreamAlarms: z.array(alarm).describe("The open ones of sources and topics."),
  held: z
    .array(upstream.extend({ work: z.enum(["confirm", "publish"]), actor: z.string().nullable() }))
    .describe("Sources and topics that are paused, refused or backing off."),
  sources: z.array(z.string()),
  backlog: z.object({
    oldestConfirmationSeconds: z.number(),
    oldestEventSeconds: z.number(),
    confirmations: z.array(
      z.object({
        state: z.enum(["due", "claimed", "done", "dead"]),
        verdict: z.enum(VERDICTS).nullable(),
        count: whole,
      }),
    ),
    outbox: z.array(z.object({ state: z.enum(["due", "claimed", "held", "dead"]), count: whole })),
  }),
  waiting: waitingWork.describe("Confirmations that no answer covers yet, from their oldest request."),
  waitingEvents: waitingWork.describe("Events that are to be sent, from their making."),
  dead: z.object({ confirmations: whole, events: whole }),
  quarantined: whole,
  lastCallbackAt: time.nullable(),
  sweeps: z.array(
    z.object({
      source: z.string(),
      collectionId: answeredId,
      finishedAt: time.nullable(),
      missing: whole,
      nextAt: time.nullable(),
      faults: whole,
      lastError: z.string().nullable(),
    }),
  ),
  certificates: z.array(
    z.object({
      source: z.string(),
      id: answeredId,
      day: z.string(),
      coversTo: time.describe("When that day began in the zone of the books."),
      result: z.enum(["equal", "not_equal", "refused"]),
      gaps: whole,
      finishedAt: time,
    }),
  ),
  unproven: z
    .array(
      z.object({
        source: z.string(),
        certificateId: answeredId.describe("The newest one that covers these days."),
        result: z.enum(["not_equal", "refused"]),
        madeAt: time,
        days: whole,
        firstDay: z.string(),
        lastDay: z.string(),
        gaps: whole,
      }),
    )
    .describe("Days of payment that the newest certificate which covers them does not prove."),
  processes: z.array(
    z.object({
      host: z.string(),
      pid: whole,
      version: z.string(),
      http: z.boolean(),
      workers: z.boolean(),
      startedAt: time,
      seenAt: time,
      lives: z.boolean().describe("It said so within three of its beats, of 5 s each, of 60 s on Lambda."),
      serves: z.object({
        sources: z.record(z.string(), z.array(answeredId).readonly()),
        topics: z.array(z.string()).readonly(),
      }),
      recordingProblem: z.object({ reason: z.string(), action: z.string() }).nullable(),
    }),
  ),
  readOnly: z.boolean().describe("Postgres accepts no writes."),
  versions: z.object({
    program: z.string(),
    postgres: z.string(),
    schema: z.enum(["current", "behind", "ahead", "earlier"]),
  }),
});

const count = whole.nullable().describe("null while it is still being counted.");

const counted = z.object({
  at: time.describe("When it begins."),
  received: count.describe("Callbacks recorded."),
  confirmed: count.describe("Payments confirmed for the first time, each with a new event."),
  published: count.describe("Acceptances by SNS, replays left out."),
});

export const activity = z.object({
  at: time,
  minutes: z.array(counted).describe("Oldest first; the last minute is still running."),
  latency: z
    .object({
      p50Ms: z.number(),
      p95Ms: z.number(),
      p99Ms: z.number(),
      payments: whole.describe("How many of the newest payments it is based on."),
    })
    .nullable()
    .describe("From the callback to SNS accepting the event; null without payments."),
  oldest: z.object({
    confirmationSeconds: z.number().describe("Since the oldest request that no answer covers."),
    eventSeconds: z.number().describe("Age of the oldest event that should be published."),
  }),
  upstreams: upstreamList,
});

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

/** What the stream could not read, so that nobody takes what is shown for what is. */
export const trouble = z.object({
  what: z.string().describe("The event whose reading failed, such as `status`."),
  since: time.describe("When it failed for the first time in a row."),
  sentence: z.string(),
});

export const live = z
  .union([status, activity, happening, trouble])
  .describe("The data of the events `status`, `activity`, `payment` and `trouble`.");

export const statusOperations = [
  get("readStatus", "/status", {
    summary: "How the relay is doing: what needs a person, and what to do about it",
    result: status,
    run: ({ db, statusSettings }) => readStatus(db, statusSettings),
  }),
  get("readActivity", "/activity", {
    summary:
      "How busy it is: callbacks, confirmations and events by the minute, and how long a payment takes",
    query: z.object({ minutes: countGiven(1, 180).default(60).describe("how far back") }),
    example: { query: { minutes: 15 } },
    result: activity,
    run: (context, { query }) => context.activity(query.minutes),
  }),
  get("readHistory", "/activity/history", {
    summary: "Callbacks, confirmations and events of the last day or week, in steps",
    query: z.object({ range: z.enum(["24h", "7d"]).default("24h").describe("how far back") }),
    example: { query: { range: "7d" } },
    result: z.object({
      at: time,
      stepMinutes: whole,
      steps: z.array(counted).describe("Oldest first; the last one is still running."),
    }),
    run: ({ history }, { query: { range } }) => history(range),
  }),
  get("readSettings", "/settings", {
    summary: "Show the settings of this process, secrets masked, and the URL to create invoices with",
    result: settingsShown,
    tellsTokens: true,
    run: async ({ settings, role }) => settings(mayAct(role, "operate")),
  }),
] as const;
