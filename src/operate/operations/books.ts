import { z } from "zod";
import { evidenceParts } from "../../books/evidence.ts";
import { REPORT_NAMES, REPORTS } from "../../books/report/reports.ts";
import { MEDIA_TYPES, sheetFile } from "../../books/report/sheet-file.ts";
import { mayAct } from "../../kit/admin-token.ts";
import { gatherEvidence } from "../evidence-files.ts";
import { day, id, name, source } from "./fields.ts";
import { operationsAbout } from "./operation.ts";
import { refuseFuture } from "./proof.ts";

const { download } = operationsAbout("Books");

export const bookOperations = [
  download("exportReport", "/reports/{report}", Object.values(MEDIA_TYPES), {
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
      refuseFuture(from, books);
      const sources = books.filter(({ name }) => source === undefined || name === source);
      const showsPayers = mayAct(role, "operate");
      const sheet = REPORTS[report](db, { sources, from, to, collection, showsPayers, mask });
      return sheetFile(sheet, `${report}-${from}-${to}`, format, new Date());
    },
  }),
  download("exportEvidence", "/invoices/{id}/evidence.zip", ["application/zip"], {
    summary:
      "Export all that shows what happened to one payment, as a ZIP; the role read gets digests of what is personal",
    pathParameters: z.object({ id: id.describe("the invoice's id") }),
    async run({ db, role, mask, books }, { path }) {
      const currency = (source: string) => books.find(({ name }) => name === source)?.currency;
      const evidence = await gatherEvidence(db, path.id, { mask, currency });
      if (evidence === null) return null;
      return {
        fileName: `evidence-${path.id}.zip`,
        mediaType: "application/zip",
        parts: evidenceParts(evidence, mayAct(role, "operate")),
        files: evidence.files.length,
      };
    },
  }),
] as const;
