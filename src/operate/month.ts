import { z } from "zod";
import { kept, sums } from "../books/month/figures.ts";
import { closing } from "../books/month/month-rows.ts";
import { answeredId, time, whole } from "./operations/fields.ts";

// A month of the books, as everyone is told of it.

const OBSTACLES = [
  "month_not_over",
  "already_closed",
  "no_certificate",
  "not_equal",
  "provisional",
  "changed_since_certificate",
  "dead_letters",
  "quarantine",
  "no_statement",
  "statement_not_matched",
] as const;

const keptOrNone = kept.nullable().describe("null: no payment of this month.");

/** One closing of a month with its addenda, and what the month comes to with them. */
export const shown = z.object({
  closing,
  reopenedAt: time.nullable(),
  reopenedBy: z.string().nullable(),
  reopenReason: z.string().nullable(),
  settingsChanged: z
    .array(z.object({ setting: z.string(), closed: z.string(), now: z.string() }))
    .describe("Settings that are others now than those it was closed with."),
  changed: whole.describe("Payments that changed since it was closed."),
  changes: z
    .array(z.object({ invoiceId: answeredId, changedAt: time, before: keptOrNone, after: keptOrNone }))
    .describe("Its addenda, the newest thousand, the oldest first."),
  now: sums.describe("As closed, with all addenda."),
});

export const known = z.object({
  source: z.string(),
  month: z.string(),
  currency: z.string(),
  state: z.enum(["open", "closed", "changed"]).describe("`changed`: something changed after it was closed."),
  closedAt: z.string().nullable(),
  closedBy: z.string().nullable(),
  all: sums.nullable().describe("As it was closed."),
  changed: whole.describe("Payments that changed since."),
  closings: whole.describe("How often it was closed, with those that were reopened."),
});

const obstacle = z.object({
  code: z.enum(OBSTACLES),
  detail: z.string().describe("What is in the way, in plain words."),
  cure: z.string().nullable().describe("What to run; null where only time helps."),
});
export type Obstacle = z.output<typeof obstacle>;

/** What came of closing a month; closed unless something is in the way, or it was a dry run. */
export const closed = z.object({
  source: z.string(),
  month: z.string(),
  currency: z.string(),
  obstacles: z.array(obstacle).describe("Everything that is in the way; it is closed when there is nothing."),
  all: sums.nullable().describe("What it comes to; null where it was not looked at."),
  closing: closing.nullable().describe("null unless it was closed."),
});
export type KnownMonth = z.output<typeof known>;
export type ShownClosing = z.output<typeof shown>;
export type ClosingResult = z.output<typeof closed>;
