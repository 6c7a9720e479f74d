import { z } from "zod";
import { VERDICTS } from "../pipeline/confirm/index.ts";
import { unprovenDaysFound } from "../pipeline/reconcile/index.ts";
import { ALARM_NAMES } from "../platform/alarms/index.ts";
import { answeredId, remedy, time, whole } from "./list/fields.ts";

// The relay's state, the same for every reader.

export const severity = z
  .enum(["critical", "warning"])
  .describe("critical: it keeps payments from their events, or hides one, or has done so for ten minutes.");

export const alarm = z.object({
  name: z.enum(ALARM_NAMES),
  source: z.string(),
  subject: z.string(),
  detail: z.string(),
  raisedAt: time,
  lastRaisedAt: time,
  clearedAt: time.nullable(),
  times: whole,
  title: z.string().describe("Its name in plain words."),
  severity,
  about: z.string().describe("The kind of its subject."),
  action: z.string().describe("The remedy, as a sentence."),
  remedy: remedy.nullable(),
});

const openAlarms = z.object({
  name: z.enum(ALARM_NAMES),
  title: z.string().describe("In plain words, with their number if they are several."),
  severity,
  count: whole,
  subject: z.string().nullable().describe("null for several."),
  oldestAt: time,
  newestAt: time.describe("When one of them was last raised."),
  action: z.string().describe("The remedy, as a sentence."),
  remedy: remedy.nullable().describe("For several: where they are listed."),
});

export const upstream = z.object({
  name: z.string(),
  state: z.enum(["closed", "backing_off", "half_open", "refused", "paused"]),
  pausedBy: z.enum(["operator", "refused"]).nullable(),
  pausedAt: time.nullable(),
  pauseReason: z.string().nullable(),
  lastError: z.string().nullable(),
  opensAt: time.nullable().describe("While backing off: until when."),
});

/** The work that a person pauses: confirming requests from a source, publishing sends to a topic. */
export const work = z.enum(["confirm", "publish"]);
export type PausableWork = z.output<typeof work>;

const actionItem = z.object({
  severity,
  what: z.string().describe("The fault, in plain words."),
  action: z.string().describe("The remedy, as a sentence."),
  remedy: remedy.nullable(),
});

const waitingWork = z.array(
  z.object({
    source: z.string(),
    count: whole,
    oldestSeconds: z.number(),
  }),
);

const facts = z.object({
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
      .nullable()
      .describe("null: they name no source."),
    intervalMs: whole.describe("RECONCILE_INTERVAL."),
  }),
  alarms: z.array(alarm).describe("The newest open ones; openAlarms counts them all."),
  openAlarms: z.array(openAlarms).describe("An entry for each name, the gravest first."),
  held: z
    .array(
      upstream.extend({ work, actor: z.string().nullable().describe("Who paused it, if a person did.") }),
    )
    .describe("Sources and topics that are paused, refused or backing off."),
  sources: z.array(z.string()).describe("The sources that serve has known."),
  firstServed: z.array(z.object({ source: z.string(), at: time.nullable() })),
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
    .array(unprovenDaysFound)
    .describe("Days of payment that the newest certificate which covers them does not prove."),
  processes: z.array(
    z.object({
      host: z.string(),
      pid: whole,
      version: z.string(),
      http: z.boolean(),
      workers: z.boolean(),
      onLambda: z.boolean().describe("Lambda functions that take callbacks are not listed."),
      startedAt: time,
      seenAt: time,
      lives: z
        .boolean()
        .describe("Its last heartbeat is at most three intervals old; an interval is 5 s, on Lambda 60 s."),
      serves: z.object({
        sources: z.record(z.string(), z.array(answeredId).readonly()),
        topics: z.array(z.string()).readonly(),
      }),
      recordingProblem: z
        .object({
          reason: z.string(),
          action: z.string(),
          worker: z
            .string()
            .optional()
            .describe("The work that only fails; left out where callbacks cannot be recorded."),
        })
        .nullable(),
    }),
  ),
  readOnly: z
    .boolean()
    .describe("Postgres accepts no writes: figures that depend on newly written rows are out of date."),
  versions: z.object({
    program: z.string(),
    postgres: z.string(),
    schema: z.enum(["current", "behind", "ahead"]),
  }),
});
export type Facts = z.output<typeof facts>;
export type Held = Facts["held"][number];
export type StatusSettings = Facts["settings"];

export const status = z.object({
  sentence: z.string().describe("The state in one sentence: all is well, or the gravest fault."),
  needsPerson: z.boolean().describe("An alarm is open, or there is an action item."),
  isProven: z
    .boolean()
    .describe("Nothing needs a person, every list was read lately, and every day is certified that is over."),
  actionItems: z
    .array(actionItem)
    .describe("Faults that no alarm can report: nothing can be written, or no process is there to raise it."),
  ...facts.shape,
});
export type Status = z.output<typeof status>;
export type ActionItem = z.output<typeof actionItem>;
export type AlarmGroup = Facts["openAlarms"][number];
