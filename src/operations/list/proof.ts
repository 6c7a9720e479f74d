import { Readable } from "node:stream";
import { z } from "zod";
import {
  calendarDay,
  certificate,
  certificatePage,
  issuedCertificateParts,
  listCertificates,
  listedCertificate,
  readCalendar,
  readCertificate,
  readCertificatePage,
  result,
  weight,
} from "../../pipeline/reconcile/index.ts";
import { listFirstServed } from "../../platform/upstreams/index.ts";
import { DAY_MS, mayAct } from "../../platform/values/index.ts";
import { gatherEvidence } from "../evidence.ts";
import { readingFor } from "../find-callbacks.ts";
import { REPORT_NAMES, REPORTS } from "../report/reports.ts";
import { MEDIA_TYPES, sheetFile } from "../report/sheet-file.ts";
import { CERTIFICATES, RECONCILED } from "../views/proof.ts";
import { listOf } from "../views/view.ts";
import { countGiven, day, idGiven, limitInQuery, name, period, reason, source, time } from "./fields.ts";
import { BadInput, operationsAbout } from "./operation.ts";
import { reconcileResult } from "./results.ts";

const { download, get, post } = operationsAbout("Proof");
const DAY_LIMIT = 400;
const certificateInPath = z.object({ id: idGiven.describe("the certificate's id") });

const calendar = z.object({
  days: z
    .array(calendarDay)
    .describe("From the newest certificate that covers each day; days without one are left out."),
  firstServed: z
    .array(z.object({ source: z.string(), at: time.nullable() }))
    .describe("Nothing is proven before this day."),
  books: z
    .array(z.object({ source: z.string(), timeZone: z.string(), currency: z.string() }))
    .describe("The time zone of the days and the currency of the amounts."),
});

export const proofOperations = [
  get("listCertificates", "/certificates", {
    summary: "List certificates, the newest first",
    query: z.object({
      source,
      result: result.optional().describe("only this result"),
      from: day.optional().describe("only those that end on this day of payment or later"),
      to: day.optional().describe("only those that begin on this day of payment or earlier"),
      ...limitInQuery.shape,
    }),
    example: { query: { result: "not_equal" } },
    result: z.object({ certificates: z.array(listedCertificate) }),
    view: { lists: [listOf("certificates", CERTIFICATES)] },
    run: async ({ db }, { query: { limit, ...filters } }) => ({
      certificates: await listCertificates(db, filters, limit),
    }),
  }),
  get("readCalendar", "/certificates/calendar", {
    summary: "Each day by its newest certificate: equal, or the payments that are missing",
    query: z.object({
      from: day,
      to: day.describe("Included; at most 400 days after `from`."),
      source,
    }),
    example: { query: { from: "2026-10-01", to: "2026-10-31" } },
    result: calendar,
    async run({ db, books }, { query: { source, ...query } }) {
      const days = (Date.parse(query.to) - Date.parse(query.from)) / DAY_MS;
      if (days > DAY_LIMIT) throw new BadInput(`to should be at most ${DAY_LIMIT} days after from`);
      const chosen = books.filter(({ name }) => source === undefined || name === source);
      return {
        days: await readCalendar(db, { ...query, sources: chosen }),
        firstServed: await listFirstServed(db),
        books: chosen.map(({ name, zone, currency }) => ({ source: name, timeZone: zone, currency })),
      };
    },
  }),
  get("showCertificate", "/certificates/{id}", {
    summary: "Show one, with its differences by name, page by page",
    pathParameters: certificateInPath,
    query: z.object({
      day: day.optional().describe("Only the differences of this day."),
      weight: weight.optional(),
      limit: countGiven(1, 500).default(100).describe("The most differences to list."),
      after: countGiven(0, 1_000_000).default(0).describe("`next` of the previous page."),
    }),
    example: { query: { weight: "gap" } },
    result: certificatePage,
    run: ({ db }, { path: { id }, query }) => readCertificatePage(db, id, query),
  }),
  download("exportIssuedCertificate", "/certificates/{id}/json", ["application/json"], {
    summary: "Show a whole certificate as issued, for `invoice-relay certificate verify`",
    pathParameters: certificateInPath,
    async run({ db }, { path: { id } }) {
      const certificate = await readCertificate(db, id);
      if (certificate === null) return null;
      const parts = issuedCertificateParts(certificate);
      return { fileName: `certificate-${id}.json`, mediaType: "application/json", parts };
    },
  }),
  post("certify", "/certify", {
    summary: "Prove a period: paid at the provider = stored = published, or each difference by name",
    body: period,
    example: { body: { from: "2026-10-01", to: "2026-10-31" } },
    result: z.array(certificate),
    run: ({ certify }, { body }) => certify(body),
  }),
  post("reconcile", "/reconcile", {
    summary: "Find paid invoices without an accepted event in a period, using the provider's lists",
    body: period.extend({
      reason,
      publish: z
        .boolean()
        .default(false)
        .describe("also publish payments from before the first serve, which are only recorded otherwise"),
    }),
    example: { body: { from: "2026-10-01", to: "2026-10-31", reason: "callbacks were down" } },
    result: reconcileResult,
    view: RECONCILED,
    run: ({ reconcile, actor }, { body }) => reconcile(body, actor),
  }),
] as const;

const BOOKS = operationsAbout("Books");

export const bookOperations = [
  BOOKS.download("exportReport", "/reports/{report}", Object.values(MEDIA_TYPES), {
    summary:
      "Export a period as a table for finance: every payment, sums by day and collection, or differences",
    pathParameters: z.object({ report: z.enum(REPORT_NAMES).describe(`one of ${REPORT_NAMES.join(", ")}`) }),
    query: z.object({
      from: day.describe("the first day of payment, in the zone of the books (BOOKS_TIME_ZONE)"),
      to: day.describe("the last day of payment, included"),
      source,
      collection: name().optional().describe("only payments of the collection with this name"),
      format: z.enum(["csv", "xlsx"]).optional().describe("csv unless said otherwise"),
    }),
    example: {
      path: { report: "payments" },
      query: { from: "2026-10-01", to: "2026-10-31", format: "xlsx" },
    },
    async run({ db, books, role, mask }, { path: { report }, query }) {
      const { from, to, source, collection, format = "csv" } = query;
      const sources = books.filter(({ name }) => source === undefined || name === source);
      const showsPayers = mayAct(role, "operate");
      const sheet = REPORTS[report](db, { sources, from, to, collection, showsPayers, mask });
      return sheetFile(sheet, `${report}-${from}-${to}`, format, new Date());
    },
  }),
  BOOKS.download("exportEvidence", "/invoices/{id}/evidence.json", ["application/json"], {
    summary: "Export all that is stored about a payment; with personal data for `operate`",
    pathParameters: z.object({ id: idGiven.describe("the invoice's id") }),
    async run({ db, ...parts }, { path: { id } }) {
      const evidence = await gatherEvidence(db, id, readingFor(parts));
      if (evidence === null) return null;
      return {
        fileName: `evidence-${id}.json`,
        mediaType: "application/json",
        parts: Readable.from([`${JSON.stringify(evidence, null, 2)}\n`]),
      };
    },
  }),
] as const;
