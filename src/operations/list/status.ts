import { z } from "zod";
import { readAuditLog } from "../../platform/audit/index.ts";
import { mayAct } from "../../platform/values/index.ts";
import { activity } from "../activity.ts";
import { applyRetention, retentionResult } from "../retention.ts";
import { status } from "../status.ts";
import { readStatus } from "../status-facts.ts";
import { CHANGES } from "../views/alarms.ts";
import { RETENTION } from "../views/records.ts";
import { listOf } from "../views/view.ts";
import {
  answeredId,
  countGiven,
  decimal,
  dryRun,
  idGiven,
  limitInQuery,
  name,
  reason,
  time,
  timeGiven,
} from "./fields.ts";
import { operationsAbout, settingsShown } from "./operation.ts";
import { change } from "./results.ts";

const { get } = operationsAbout("Status");

/** A change, on the stream. */
export const happening = z.object({
  what: z.enum(["confirmed", "published"]),
  at: time,
  invoiceId: answeredId,
  source: z.string(),
  reference: z.string().nullable(),
  collection: z.string().nullable(),
  totalAmount: decimal.nullable(),
});

/** A failed read of the stream, which marks the state on screen as old. */
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
    summary: "Show the relay's state: faults that need a person, and their remedies",
    result: status,
    run: ({ db, statusSettings }) => readStatus(db, statusSettings),
  }),
  get("readActivity", "/activity", {
    summary:
      "How busy it is: callbacks, confirmations and events by the minute, and how long a payment takes",
    result: activity,
    run: ({ activity }) => activity(),
  }),
  get("readSettings", "/settings", {
    summary: "Show the settings of this process, secrets masked, and the URL to create invoices with",
    result: settingsShown,
    tellsTokens: true,
    run: async ({ settings, role }) => settings(mayAct(role, "operate")),
  }),
] as const;

export const recordOperations = [
  operationsAbout("Retention").post("applyRetention", "/retention", {
    role: "admin",
    summary:
      "Drop callbacks older than RETENTION, blank personal data older than PERSONAL_DATA_RETENTION; serve does it " +
      "daily",
    body: z.strictObject({ reason, dryRun: dryRun.describe("only show what would be dropped") }),
    example: { body: { dryRun: true } },
    result: retentionResult,
    view: RETENTION,
    command: { words: "retention", heading: "Run it:", example: "--dry-run" },
    isFinding: ({ stays, failed }) => stays !== null || failed.length > 0,
    run: ({ db, actor, retentionMs, personalDataMs }, { body }) =>
      applyRetention({ db, actor, retentionMs, personalDataMs, ...body }),
  }),
  operationsAbout("Audit").get("readAuditLog", "/audit", {
    summary: "List who changed what, when and why, the newest first",
    query: z.object({
      invoiceId: idGiven.optional().describe("only what touched this invoice"),
      actor: name().optional().describe("only this person or token, such as cli:ada"),
      action: name()
        .optional()
        .describe("only this action, such as dead.retry, or a group of actions, such as dead"),
      subject: name(1_000).optional().describe("only this source, topic, replay, collection or event id"),
      from: timeGiven.optional().describe("only at this time (UTC) or later"),
      to: timeGiven.optional().describe("only before this time (UTC)"),
      before: countGiven(1, Number.MAX_SAFE_INTEGER)
        .optional()
        .describe("only entries older than the one with this id, for the next page"),
      ...limitInQuery.shape,
    }),
    example: { query: { action: "pause", limit: 10 } },
    result: z.object({ entries: z.array(change) }),
    view: { lists: [listOf("entries", CHANGES)] },
    command: {
      words: "audit",
      heading: "How it does:",
      example: "--actor ada --from 2026-10-01",
      options: { invoiceId: "invoice" },
    },
    run: async ({ db }, { query }) => ({ entries: await readAuditLog({ db, ...query }) }),
  }),
] as const;
