import { z } from "zod";
import { readAuditLog } from "../../platform/audit/index.ts";
import { applyRetention, retentionResult } from "../retention.ts";
import { status } from "../status.ts";
import { readStatus } from "../status-facts.ts";
import { CHANGES } from "../views/alarms.ts";
import { RETENTION } from "../views/records.ts";
import { listOf } from "../views/view.ts";
import { countGiven, idGiven, limitInQuery, name, reason, timeGiven } from "./fields.ts";
import { operationsAbout } from "./operation.ts";
import { change } from "./results.ts";

const { get } = operationsAbout("Status");

export const statusOperations = [
  get("readStatus", "/status", {
    summary: "Show the relay's state: faults that need a person, and their remedies",
    result: status,
    run: ({ db, statusSettings }) => readStatus(db, statusSettings),
  }),
] as const;

export const recordOperations = [
  operationsAbout("Retention").post("applyRetention", "/retention", {
    role: "admin",
    summary:
      "Drop callbacks older than RETENTION, blank personal data older than PERSONAL_DATA_RETENTION; serve does it " +
      "daily",
    body: z.strictObject({ reason }),
    example: { body: { reason: "the disk is full" } },
    result: retentionResult,
    view: RETENTION,
    isFinding: ({ failed }) => failed.length > 0,
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
    run: async ({ db }, { query }) => ({ entries: await readAuditLog({ db, ...query }) }),
  }),
] as const;
