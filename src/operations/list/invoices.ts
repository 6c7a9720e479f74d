import { z } from "zod";
import { OWN_VERDICTS } from "../../pipeline/receive/index.ts";
import { personalMaskOf } from "../../platform/values/index.ts";
import { erased, eraseInvoice } from "../erase.ts";
import { readEvidence } from "../evidence.ts";
import { findCallbacks, readingFor, showCallback } from "../find-callbacks.ts";
import { findInvoices, terms } from "../list-invoices.ts";
import { explained, timeline } from "../timeline.ts";
import { readTimeline } from "../timeline-reading.ts";
import { CALLBACK, CALLBACKS } from "../views/callbacks.ts";
import { EVIDENCE, INVOICES } from "../views/invoices.ts";
import { ERASED } from "../views/records.ts";
import { listOf } from "../views/view.ts";
import {
  dryRun,
  idGiven,
  idInPath,
  name,
  pageFrom,
  pageInQuery,
  pageOf,
  reason,
  source,
  timeGiven,
} from "./fields.ts";
import { operationsAbout } from "./operation.ts";
import { callbackShown, invoiceEvidence, listedCallback, listedInvoice } from "./results.ts";

const { get, post } = operationsAbout("Invoices");

const invoiceInPath = z.object({ id: idGiven.describe("the invoice's id") });

export const invoiceOperations = [
  get("listInvoices", "/invoices", {
    summary: "List payments, the newest first; by id, reference, verdict, day, collection or source",
    query: z.object({ ...terms, ...pageInQuery.shape }),
    example: { query: { from: "2026-10-01", to: "2026-10-31", collection: "School fees" } },
    result: pageOf(listedInvoice),
    view: { lists: [listOf("items", INVOICES)] },
    run: async ({ db }, { query: { cursor: from = null, limit, ...terms } }) =>
      pageFrom(await findInvoices(db, terms, { from, limit })),
  }),
  get("showInvoice", "/invoices/{id}", {
    summary: "Show everything that happened to one invoice, and what happens next",
    pathParameters: invoiceInPath,
    result: timeline,
    async run({ db }, { path: { id } }) {
      const timeline = await readTimeline(db, id);
      return timeline && explained(timeline);
    },
  }),
  get("showEvidence", "/invoices/{id}/evidence", {
    summary: "Show what the provider answered and what was published; with personal data for `operate`",
    pathParameters: invoiceInPath,
    result: invoiceEvidence,
    view: EVIDENCE,
    run: ({ db, role }, { path: { id } }) => readEvidence(db, id, personalMaskOf(role)),
  }),
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

const ABOUT_CALLBACKS = operationsAbout("Callbacks");

export const callbackOperations = [
  ABOUT_CALLBACKS.get("listCallbacks", "/callbacks", {
    summary: "List recorded callbacks, newest first, with filters",
    query: z.object({
      ...pageInQuery.shape,
      source,
      verdict: z.enum(OWN_VERDICTS).optional().describe("its own, of one that asks about no invoice"),
      invoiceId: idGiven.optional().describe("only those that name this invoice"),
      reference: name(1_000).optional().describe("the merchant's reference from the URL, compared whole"),
      from: timeGiven.optional().describe("received at this time or later"),
      to: timeGiven.optional().describe("received before this time"),
    }),
    example: { query: { verdict: "refused", limit: 10 } },
    result: pageOf(listedCallback),
    view: { lists: [listOf("items", CALLBACKS)] },
    run: async ({ db }, { query: { cursor: from = null, limit, ...filters } }) =>
      pageFrom(await findCallbacks(db, filters, { from, limit })),
  }),
  ABOUT_CALLBACKS.get("showCallback", "/callbacks/{id}", {
    summary: "Show one whole callback and how each id was found; with personal data for `operate`",
    pathParameters: idInPath,
    result: callbackShown,
    view: CALLBACK,
    run: ({ db, ...parts }, { path: { id } }) => showCallback(db, id, readingFor(parts)),
  }),
] as const;
