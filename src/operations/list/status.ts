import { z } from "zod";
import { mayAct } from "../../platform/values/index.ts";
import { activity } from "../activity.ts";
import { status } from "../status.ts";
import { readStatus } from "../status-facts.ts";
import { answeredId, decimal, time } from "./fields.ts";
import { operationsAbout, settingsShown } from "./operation.ts";

const { get } = operationsAbout("Status");

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
