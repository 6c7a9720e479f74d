import { z } from "zod";
import { ALARM_NAMES } from "../../alarms/alarm-definitions.ts";
import { listAlarms } from "../../alarms/list-alarms.ts";
import { closeAlarmsByHand, noteAlarmsByHand, snoozeAlarmsByHand } from "../close-alarms.ts";
import { alarm } from "../status.ts";
import { limitInQuery, line, reason, source, timeGiven, whole, words } from "./fields.ts";
import { operationsAbout } from "./operation.ts";

const { get, post } = operationsAbout("Alarms");

/** An alarm of the whole relay has none. */
const nameOrNone = line(1_000);

const meantAlarms = z
  .array(
    z.strictObject({
      name: z.enum(ALARM_NAMES),
      source: nameOrNone.optional().describe("only this source's"),
      subject: nameOrNone.optional().describe("only the one about this"),
    }),
  )
  .min(1)
  .max(1_000)
  .describe("All open ones of a name, unless a source or subject is named.");

const counted = z.object({ count: whole.describe("How many were open.") });

const ONE = {
  name: "confirmation_dead",
  source: "default",
  subject: "0191c7e0-0000-7000-8000-000000000001",
} as const;

export const alarmOperations = [
  get("listAlarms", "/alarms", {
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
  post("closeAlarms", "/alarms/close", {
    summary: "Close alarms that have been dealt with; if the cause remains, they are raised again",
    body: z.strictObject({ alarms: meantAlarms, reason }),
    example: { body: { alarms: [ONE], reason: "NTP is back" } },
    result: counted,
    run: ({ db, actor }, { body }) => closeAlarmsByHand({ db, actor, ...body }),
  }),
  post("snoozeAlarms", "/alarms/snooze", {
    summary: "Tell nobody of open alarms until a time; what still lasts then is told again",
    body: z.strictObject({
      alarms: meantAlarms,
      until: timeGiven.describe("when they are told again"),
      reason,
    }),
    example: { body: { alarms: [ONE], until: "2126-11-01T08:30:00Z", reason: "NTP is being moved" } },
    result: counted,
    run: ({ db, actor }, { body: { until, ...given } }) =>
      snoozeAlarmsByHand({ db, actor, until: new Date(until), ...given }),
  }),
  post("noteAlarms", "/alarms/note", {
    summary: "Note who sees to open alarms, or what was found out",
    body: z.strictObject({
      alarms: meantAlarms,
      note: words.describe("what to note; empty takes it away; no personal data"),
      reason,
    }),
    example: { body: { alarms: [ONE], note: "Ada asks the provider" } },
    result: counted,
    run: ({ db, actor }, { body }) => noteAlarmsByHand({ db, actor, ...body }),
  }),
  post("testAlarms", "/alarms/test", {
    summary: "Send a test message where people are told of alarms",
    result: z.object({
      taken: z.boolean(),
      problem: z.string().nullable().describe("What went wrong; null when it was taken."),
    }),
    run: async ({ tryWebhook }) => {
      const problem = await tryWebhook();
      return { taken: problem === null, problem };
    },
  }),
] as const;
