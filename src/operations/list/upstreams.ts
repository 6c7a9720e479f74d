import { z } from "zod";
import { ALARM_NAMES, listAlarms } from "../../platform/alarms/index.ts";
import { closeAlarmsByHand } from "../close-alarms.ts";
import { pause, pauseResult, resume } from "../pause.ts";
import { alarm, type PausableWork, work } from "../status.ts";
import { ALARMS, CLOSED, TESTED } from "../views/alarms.ts";
import { PAUSED, RESUMED } from "../views/records.ts";
import { listOf } from "../views/view.ts";
import { limitInQuery, line, reason, source, whole } from "./fields.ts";
import { type OperationContext, operationsAbout } from "./operation.ts";

const { post } = operationsAbout("Pause");

const resumeRequest = z.strictObject({
  work,
  source: source.describe("only this source; all by default"),
  reason,
});
export const upstreamOperations = [
  post("pause", "/pause", {
    summary: "Stop asking a source, or sending to its topics; callbacks are still recorded",
    view: PAUSED,
    body: resumeRequest,
    example: { body: { work: "publish", reason: "SNS is being moved" } },
    result: pauseResult,
    run: (context, { body: { work, source, reason } }) =>
      pause({ db: context.db, actor: context.actor, work, names: namesOf(context, work, source), reason }),
  }),
  post("resume", "/resume", {
    summary: "Resume at once, after a pause, a refusal or a fault",
    view: RESUMED,
    body: resumeRequest,
    example: { body: { work: "publish", reason: "SNS is back" } },
    result: pauseResult,
    run: (context, { body: { work, source, reason } }) =>
      resume({ db: context.db, actor: context.actor, work, names: namesOf(context, work, source), reason }),
  }),
] as const;

/** The settings name a source's topics; a topic that two sources share is paused for both. */
function namesOf(context: OperationContext, work: PausableWork, source: string | undefined) {
  if (source === undefined) return "all";
  return work === "confirm" ? [source] : context.topicsOf(source);
}

const ABOUT_ALARMS = operationsAbout("Alarms");

/** An alarm of the whole relay has none. */
const nameOrNone = line(1_000);

const selectedAlarms = z
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
  ABOUT_ALARMS.get("listAlarms", "/alarms", {
    summary: "List open alarms, the newest first, with their start and remedy",
    query: z.object({
      all: z
        .stringbool({ truthy: ["true"], falsy: ["false"] })
        .meta({ enum: ["true", "false"] })
        .optional()
        .describe("include cleared alarms"),
      name: z.enum(ALARM_NAMES).optional().describe("only alarms of this name, such as confirmation_dead"),
      source,
      ...limitInQuery.shape,
    }),
    example: { query: { name: "confirmation_dead" } },
    result: z.object({ total: whole, items: z.array(alarm) }),
    view: { lists: [listOf("items", ALARMS)] },
    run: ({ db }, { query: { limit, ...filters } }) => listAlarms(db, filters, limit),
  }),
  ABOUT_ALARMS.post("closeAlarms", "/alarms/close", {
    summary: "Close alarms that have been dealt with; if the cause remains, they are raised again",
    view: CLOSED,
    body: z.strictObject({ alarms: selectedAlarms, reason }),
    example: { body: { alarms: [ONE], reason: "NTP is back" } },
    result: counted,
    run: ({ db, actor }, { body }) => closeAlarmsByHand({ db, actor, ...body }),
  }),
  ABOUT_ALARMS.post("testAlarms", "/alarms/test", {
    summary: "Send a test message to the alarm webhook",
    view: TESTED,
    isFinding: ({ taken }) => !taken,
    result: z.object({
      taken: z.boolean(),
      problem: z.string().nullable().describe("The fault; null when it was taken."),
    }),
    run: async ({ tryWebhook }) => {
      const problem = await tryWebhook();
      return { taken: problem === null, problem };
    },
  }),
] as const;
