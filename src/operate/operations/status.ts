import { z } from "zod";
import { ALARM_NAMES } from "../../alarms/alarm-definitions.ts";
import { listAlarms } from "../../alarms/list-alarms.ts";
import { VERDICTS } from "../../confirm/queue/confirmation.ts";
import { mayAct } from "../../kit/admin-token.ts";
import { closeAlarmsByHand } from "../close-alarms.ts";
import { readStatus } from "../status-facts.ts";
import { NEED_PAGES } from "../status-meaning.ts";
import { answeredId, countGiven, decimal, limitInQuery, reason, source, time, whole } from "./fields.ts";
import { operation, settingsShown } from "./operation.ts";
import { upstream, upstreamList } from "./upstreams.ts";

const TAG = "Status";

const alarm = z.object({
  name: z.enum(ALARM_NAMES),
  source: z.string(),
  subject: z.string(),
  detail: z.string(),
  raisedAt: time,
  lastRaisedAt: time,
  clearedAt: time.nullable(),
  times: whole,
  severity: z.enum(["critical", "warning"]),
  about: z.string().describe("What its subject names."),
  action: z.string().describe("What to do about it."),
});

export const status = z.object({
  sentence: z.string().describe("How the relay is doing, in one sentence."),
  needsPerson: z.boolean(),
  needs: z.array(
    z.object({
      what: z.string(),
      action: z.string(),
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
  openAlarms: z.array(z.object({ name: z.enum(ALARM_NAMES), count: whole })),
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
  waiting: z.array(z.object({ source: z.string(), count: whole, oldestSeconds: z.number() })),
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
      result: z.enum(["equal", "not_equal", "refused"]),
      gaps: whole,
      finishedAt: time,
    }),
  ),
  processes: z.array(
    z.object({
      host: z.string(),
      pid: whole,
      version: z.string(),
      http: z.boolean(),
      workers: z.boolean(),
      startedAt: time,
      seenAt: time,
      lives: z.boolean(),
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

export const activity = z.object({
  at: time,
  minutes: z
    .array(
      z.object({
        at: time.describe("The start of the minute."),
        received: count.describe("Callbacks recorded."),
        confirmed: count.describe("Payments confirmed for the first time, each with a new event."),
        published: count.describe("Acceptances by SNS, replays left out."),
      }),
    )
    .describe("Oldest first; the last minute is still running."),
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
    confirmationSeconds: z.number().describe("How long the oldest due confirmation is overdue."),
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

export const live = z
  .union([status, activity, happening])
  .describe("The data of the events `status`, `activity` and `payment`.");

export const statusOperations = [
  operation({
    id: "readStatus",
    method: "get",
    path: "/status",
    tag: TAG,
    summary: "How the relay is doing: what needs a person, and what to do about it",
    result: status,
    run: ({ db, statusSettings }) => readStatus(db, statusSettings),
  }),
  operation({
    id: "listAlarms",
    method: "get",
    path: "/alarms",
    tag: TAG,
    summary: "List open alarms, the newest first: since when, and what to do",
    query: z.object({
      all: z.stringbool().optional().describe("include cleared alarms"),
      name: z.enum(ALARM_NAMES).optional().describe("only alarms of this name, such as confirmation_dead"),
      source,
      ...limitInQuery.shape,
    }),
    example: { query: { name: "confirmation_dead" } },
    result: z.object({ total: whole, items: z.array(alarm) }),
    run: ({ db }, { query: { limit, ...filters } }) => listAlarms(db, filters, limit),
  }),
  operation({
    id: "closeAlarms",
    method: "post",
    path: "/alarms/close",
    tag: TAG,
    summary: "Close alarms that have been dealt with; if the cause remains, they are raised again",
    body: z.strictObject({
      alarms: z
        .array(z.strictObject({ name: z.enum(ALARM_NAMES), source: z.string(), subject: z.string() }))
        .min(1)
        .max(1_000),
      reason,
    }),
    example: {
      body: { alarms: [{ name: "clock_stepped", source: "", subject: "relay-1" }], reason: "NTP is back" },
    },
    result: z.object({ count: whole.describe("How many were open.") }),
    run: ({ db, actor }, { body }) => closeAlarmsByHand({ db, actor, ...body }),
  }),
  operation({
    id: "readActivity",
    method: "get",
    path: "/activity",
    tag: TAG,
    summary:
      "How busy it is: callbacks, confirmations and events by the minute, and how long a payment takes",
    query: z.object({ minutes: countGiven(1, 180).default(60).describe("how far back") }),
    example: { query: { minutes: 15 } },
    result: activity,
    run: (context, { query }) => context.activity(query.minutes),
  }),
  operation({
    id: "readSettings",
    method: "get",
    path: "/settings",
    tag: TAG,
    summary: "Show the settings of this process, secrets masked, and the URL to create invoices with",
    result: settingsShown,
    tellsTokens: true,
    run: async ({ settings, role }) => settings(mayAct(role, "operate")),
  }),
] as const;
