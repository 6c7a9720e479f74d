import { z } from "zod";
import { ALARM_NAMES } from "../alarms/alarm-definitions.ts";
import { NEED_PAGES } from "../operate/status-meaning.ts";
import { limitInQuery, reason, time } from "./fields.ts";

export const alarmQuery = z.object({
  ...limitInQuery.shape,
  all: z.stringbool().optional().describe("Include cleared ones."),
  name: z.string().optional(),
  source: z.string().optional(),
});
const alarm = z.object({
  name: z.string(),
  source: z.string(),
  subject: z.string(),
  detail: z.string(),
  raisedAt: time,
  lastRaisedAt: time,
  clearedAt: time.nullable(),
  times: z.number().int(),
  severity: z.enum(["critical", "warning"]),
  about: z.string().describe("What its subject names."),
  action: z.string().describe("What to do about it."),
});
export const alarmList = z.object({ total: z.number().int(), items: z.array(alarm) });
export const closeAlarmsRequest = z.strictObject({
  alarms: z
    .array(z.strictObject({ name: z.enum(ALARM_NAMES), source: z.string(), subject: z.string() }))
    .min(1)
    .max(1_000),
  reason,
});
export const closedAlarms = z.object({
  count: z.number().int().describe("How many were open."),
});
export const status = z
  .looseObject({
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
    alarms: z.array(alarm),
  })
  .describe("As invoice-relay status prints it with --json.");
