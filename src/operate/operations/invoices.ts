import { z } from "zod";
import { RelayError } from "../../kit/errors.ts";
import { personalMaskOf } from "../../kit/mask.ts";
import { planReplay } from "../../replay/plan-replay.ts";
import { startReplay } from "../../replay/start-replay.ts";
import { erased, eraseInvoice } from "../erase.ts";
import { readEvidence } from "../invoice-evidence.ts";
import { timeline } from "../timeline.ts";
import { meaningOf } from "../timeline-meaning.ts";
import { readTimeline } from "../timeline-reading.ts";
import { answeredId, dryRun, eventState, id, reason, source, time } from "./fields.ts";
import { findOperations } from "./find.ts";
import { operationsAbout } from "./operation.ts";
import { replayStarted } from "./replays.ts";

const { get, post } = operationsAbout("Invoices");
const invoiceInPath = z.object({ id: id.describe("the invoice's id") });

const evidence = z.object({
  invoiceId: answeredId,
  answers: z
    .array(
      z.object({
        source: z.string(),
        newest: z.boolean(),
        status: z.string(),
        askedAt: time,
        document: z.string().describe("The provider's JSON, digit for digit."),
        erasedAt: time.nullable(),
      }),
    )
    .describe("The provider's newest answers, at most five."),
  events: z.array(
    z.object({
      source: z.string(),
      id: answeredId,
      type: z.string(),
      createdAt: time,
      state: eventState,
      payload: z.string().describe("Exactly as published."),
      erasedAt: time.nullable(),
      publications: z.array(
        z.object({
          topicArn: z.string(),
          messageId: z.string(),
          publishedAt: time,
          replayId: answeredId.nullable(),
          digest: z.string().nullable().describe("SHA-256, in hex, of the payload that was sent."),
        }),
      ),
    }),
  ),
});

const again = <const Id extends string, const Path extends string>(
  id: Id,
  path: Path,
  kind: "confirmations" | "events",
  summary: string,
) =>
  post(id, path, {
    summary,
    pathParameters: invoiceInPath,
    body: z.strictObject({
      source: source.describe("The source, if several know the invoice."),
      reason,
      dryRun,
    }),
    example: { body: { reason: "a doubt", dryRun: true } },
    result: replayStarted,
    async run({ db, actor, routes }, { path, body: { source, reason, dryRun } }) {
      const filters = { invoiceIds: [path.id], source };
      const request = { db, kind, filters, target: { kind: "topics" as const }, routes };
      if (dryRun) return { replay: null, plan: await planReplay(request) };
      const replay = await startReplay({ ...request, actor, reason });
      if (replay !== null) return { replay, plan: null };
      if (kind === "confirmations" || (await readTimeline(db, path.id)) === null) return null;
      throw new RelayError(
        "SNS has not accepted an event of this invoice yet. A waiting event is sent automatically; retry a " +
          "dead letter, or release an invoice from quarantine.",
      );
    },
  });

export const invoiceOperations = [
  ...findOperations,
  get("showInvoice", "/invoices/{id}", {
    summary: "Show everything that happened to one invoice, and what happens next",
    pathParameters: invoiceInPath,
    result: timeline,
    async run({ db }, { path: { id } }) {
      const timeline = await readTimeline(db, id);
      return timeline === null ? null : { ...timeline, meaning: meaningOf(timeline) };
    },
  }),
  get("showEvidence", "/invoices/{id}/evidence", {
    summary: "Show what the provider answered and what was published; with personal data for `operate`",
    pathParameters: invoiceInPath,
    result: evidence,
    run: ({ db, role }, { path: { id } }) => readEvidence(db, id, personalMaskOf(role)),
  }),
  again(
    "askAgain",
    "/invoices/{id}/ask",
    "confirmations",
    "Ask the provider about one invoice again; a running serve does it",
  ),
  again(
    "publishAgain",
    "/invoices/{id}/publish",
    "events",
    "Publish the event of one invoice again, with the same id",
  ),
  post("eraseInvoice", "/invoices/{id}/erase", {
    role: "admin",
    summary: "Blank the personal data of one invoice for good; ids, amounts and a digest are kept",
    pathParameters: invoiceInPath,
    body: z.strictObject({ reason, dryRun: dryRun.describe("only show what would be blanked") }),
    example: { body: { reason: "the payer asked for it", dryRun: true } },
    result: erased,
    async run({ db, actor }, { path, body }) {
      const result = await eraseInvoice({ db, actor, invoiceId: path.id, ...body });
      return result.found ? result : null;
    },
  }),
] as const;
