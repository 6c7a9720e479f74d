import { z } from "zod";
import { seenCollections } from "../../confirm/invoices/seen-collections.ts";
import { RelayError } from "../../kit/errors.ts";
import { personalMaskOf } from "../../kit/mask.ts";
import { dayOf } from "../../kit/time.ts";
import { planReplay } from "../../replay/plan-replay.ts";
import { startReplay } from "../../replay/start-replay.ts";
import { erased, eraseInvoice } from "../erase.ts";
import { readEvidence } from "../evidence.ts";
import { findInvoices, searchInvoices } from "../find-invoices.ts";
import { personalTerms, terms } from "../list-invoices.ts";
import { meaningOf, timeline } from "../timeline.ts";
import { readTimeline } from "../timeline-reading.ts";
import { EVIDENCE, INVOICES, INVOICES_FOUND } from "../views/invoices.ts";
import { ERASED } from "../views/records.ts";
import { type Either, listOf } from "../views/view.ts";
import {
  answeredId,
  decimal,
  dryRun,
  eventState,
  id,
  pageFrom,
  pageInQuery,
  pageOf,
  reason,
  shownVerdict,
  source,
  time,
  whole,
} from "./fields.ts";
import { operationsAbout } from "./operation.ts";
import { replayStarted } from "./replays.ts";

const { get, post } = operationsAbout("Invoices");

const listed = z.object({
  invoiceId: answeredId,
  source: z.string(),
  status: z.string().nullable().describe("The provider's status; null if it has not confirmed the invoice."),
  type: z.string().nullable(),
  reference: z.string().nullable(),
  collection: z.string().nullable(),
  amount: decimal.nullable(),
  totalAmount: decimal.nullable(),
  paidAt: time.nullable(),
  confirmedAt: time.nullable(),
  verdict: shownVerdict.nullable(),
  event: eventState.nullable().describe("The state of its event; null without one."),
  eventId: answeredId.nullable().describe("Null without an event."),
});

const found = pageOf(listed).extend({
  searched: z
    .array(z.string())
    .describe("What was looked for, in words, in this order; all but the last found nothing."),
  others: z
    .array(z.object({ what: z.enum(["callback", "certificate", "replay"]), id: answeredId, at: time }))
    .describe("What else has an id that begins so; on the first page only."),
  waiting: z
    .array(
      z.object({
        source: z.string(),
        count: whole,
        oldestSeconds: z.number(),
        reason: z.string().nullable().describe("What keeps them, in words; null where nothing is known to."),
        sentence: z.string().describe("All of it, in words."),
      }),
    )
    .describe(
      "Where nothing was found: the confirmations that no answer covers yet. Until then only ids, " +
        "references and the verdict `pending` find their payments.",
    ),
});

export type ListedInvoice = Either<z.output<typeof listed>>;
export type InvoiceEvidence = Either<z.output<typeof evidence>>;
export type Erased = Either<z.output<typeof erased>>;
export type InvoicesFound = Either<Pick<z.output<typeof found>, "items" | "searched" | "others" | "waiting">>;

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
  get("listInvoices", "/invoices", {
    summary: "List payments, the newest first; by reference, status, day, collection or amount",
    query: z.object({ ...terms, ...pageInQuery.shape }),
    example: { query: { from: "2026-10-01", to: "2026-10-31", collection: "School fees" } },
    result: pageOf(listed),
    view: { lists: [listOf("items", INVOICES)] },
    run: async ({ db }, { query: { cursor: from = null, limit, ...terms } }) =>
      pageFrom(await findInvoices(db, terms, { from, limit })),
  }),
  post("searchInvoices", "/invoices/search", {
    role: "read",
    summary: "Find payments by whatever a person has of them; the payer's name and e-mail stay out of URLs",
    body: z.strictObject({
      ...terms,
      ...pageInQuery.shape,
      ...personalTerms,
      text: z
        .string()
        .max(1_000)
        .optional()
        .describe(
          "An id or what it begins with, an e-mail address, reference, amount, day or payer's name, recognised " +
            "by its form.",
        ),
    }),
    example: { body: { text: "NGN 40,645.00" } },
    result: found,
    view: INVOICES_FOUND,
    async run({ db }, { body: { cursor: from = null, limit, text = "", ...terms } }) {
      const today = dayOf(new Date());
      const { searched, others, waiting, ...page } = await searchInvoices(
        db,
        { ...terms, text, today },
        { from, limit },
      );
      return { ...pageFrom(page), searched, others, waiting };
    },
  }),
  get("listCollections", "/collections", {
    summary: "Name the collections that the last payments of each source were in",
    result: z.object({ items: z.array(z.object({ source: z.string(), name: z.string() })) }),
    run: async ({ db }) => ({ items: await seenCollections(db) }),
  }),
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
    view: EVIDENCE,
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
    view: ERASED,
    async run({ db, actor }, { path, body }) {
      const result = await eraseInvoice({ db, actor, invoiceId: path.id, ...body });
      return result.found ? result : null;
    },
  }),
] as const;
