import { z } from "zod";
import { MEDIA_TYPES, sheetFile } from "../../books/report/sheet-file.ts";
import { DATE_ORDERS, DECIMALS } from "../../books/statement/cell-values.ts";
import { ENCODINGS } from "../../books/statement/decode-statement.ts";
import { matchSheet } from "../../books/statement/match-sheet.ts";
import { matchStatement } from "../../books/statement/match-statement.ts";
import { isLeftOver, STATES } from "../../books/statement/matching.ts";
import {
  keptLine,
  keptMatch,
  listStatementMatches,
  matchItem,
  readMatchItems,
  statementMatch,
} from "../../books/statement/statement-match-row.ts";
import { bookDayOf } from "../../kit/book-days.ts";
import { RelayError } from "../../kit/errors.ts";
import { BadInput } from "./bad-input.ts";
import { chosenFrom } from "./books.ts";
import {
  answeredId,
  countGiven,
  day,
  idInPath,
  limitInQuery,
  line as lineGiven,
  name,
  source,
  time,
  whole,
} from "./fields.ts";
import { operationsAbout } from "./operation.ts";

const { download, get, post } = operationsAbout("Bank statements");

const column = (what: string) =>
  lineGiven(200).optional().describe(`the column of ${what}; known names are found, and it is remembered`);

const query = z.object({
  name: name(200).describe("the file's name"),
  from: day.optional().describe("the first day of the bank; the statement's first when left out"),
  to: day.optional().describe("the last day of the bank, included; the statement's last when left out"),
  source: source.describe("whose payments; needed where there are several sources"),
  collection: name().optional().describe("only payments of the collection with this name"),
  dateColumn: column("dates"),
  amountColumn: column("what came in"),
  debitColumn: column("what went out, or empty for none"),
  delimiter: z
    .string()
    .transform((text) => (text === "tab" || text === "\\t" ? "\t" : text))
    .refine((text) => text.length === 1 && !/["\r\n]/.test(text), {
      error: "should be one character, or tab",
    })
    .optional()
    .describe("what separates the columns: one character, or tab"),
  decimal: z.enum(DECIMALS).optional().describe("what separates the decimals of amounts"),
  dateOrder: z.enum(DATE_ORDERS).optional().describe("how dates such as 01/10/2026 are read"),
  only: lineGiven(200).optional().describe("only lines with this text are settlements; empty for all"),
  days: countGiven(0, 60)
    .optional()
    .describe("how many days after the payment it may be booked; 1 for Instant, otherwise 5"),
  keepDuplicates: z
    .stringbool()
    .default(false)
    .describe("lines that say the same in every column are different settlements"),
});

const orNone = (text: string | undefined) => (text === "" ? null : text);

export const statementOperations = [
  post("matchStatement", "/statements", {
    summary: "Match a bank statement (CSV) with what was to be settled, and keep the result",
    query,
    upload: true,
    example: { query: { name: "october.csv", from: "2026-10-01", to: "2026-10-31" } },
    result: statementMatch.extend({
      encoding: z.enum(ENCODINGS),
      remembered: z.boolean().describe("The mapping of an earlier statement was used."),
      left: z
        .array(keptMatch.extend({ lines: z.array(keptLine.extend({ texts: z.array(z.string()) })) }))
        .describe("The first 200 of what was left over, with the bank's texts, which are not kept."),
      before: z
        .object({ id: answeredId, madeAt: time, madeBy: z.string(), isSame: z.boolean() })
        .nullable()
        .describe("When this very file was matched last, and whether that came to the same."),
    }),
    tellsProgress: true,
    async run({ db, books, actor, onProgress }, { query, body }) {
      const {
        name: fileName,
        from,
        to,
        collection,
        days = null,
        keepDuplicates,
        decimal,
        delimiter,
        dateOrder,
      } = query;
      const [one, ...others] = chosenFrom(books, query.source);
      if (one === undefined || others.length > 0)
        throw new BadInput(
          `A statement is one source's: say which with source (--source): ${books.map((book) => book.name).join(", ")}.`,
        );
      if (from !== undefined && from > bookDayOf(Date.now(), one.zone))
        throw new BadInput(`${from} has not begun: nothing can be settled yet.`);
      const given = {
        ...{ date: query.dateColumn, amount: query.amountColumn, debit: orNone(query.debitColumn) },
        ...{ decimal, delimiter, dateOrder, only: orNone(query.only) },
      };
      const asBadInput = (error: unknown) =>
        Promise.reject(
          error instanceof RelayError && error.code === "usage" ? new BadInput(error.message, error) : error,
        );
      return await matchStatement(
        db,
        { source: one, fileName, file: body, given, from, to, collection, days, keepDuplicates, actor },
        (done) => onProgress({ source: one.name, collectionId: null, step: "books", done, total: null }),
      ).catch(asBadInput);
    },
  }),
  get("listStatementMatches", "/statements", {
    summary: "List the bank statements that were matched, the newest first",
    query: z.object({ source, ...limitInQuery.shape }),
    result: z.object({ matches: z.array(statementMatch) }),
    run: async ({ db }, { query: { source, limit } }) => ({
      matches: await listStatementMatches(db, { source }, limit),
    }),
  }),
  get("showStatementMatch", "/statements/{id}", {
    summary: "Show what came of one: the figures, and page by page what was left over",
    pathParameters: idInPath,
    query: z.object({
      state: z.enum(STATES).optional().describe("only this state; what is left over when left out"),
      limit: countGiven(1, 500).default(100).describe("the most to list"),
      after: countGiven(0, 10_000_000).default(0).describe("`next` of the previous page"),
    }),
    result: statementMatch.extend({
      items: z.array(matchItem),
      next: whole.nullable().describe("null at the end."),
    }),
    async run({ db }, { path: { id }, query: { state, limit, after } }) {
      const [match] = await listStatementMatches(db, { id }, 1);
      if (match === undefined) return null;
      const states = state === undefined ? STATES.filter(isLeftOver) : [state];
      const items = await readMatchItems(db, id, { after, limit, states });
      return { ...match, items, next: items.length < limit ? null : (items.at(-1)?.position ?? null) };
    },
  }),
  download("exportStatementMatch", "/statements/{id}/report", Object.values(MEDIA_TYPES), {
    summary: "Export what came of one as a table: every line and every sum, with what they were matched to",
    pathParameters: idInPath,
    query: z.object({ format: z.enum(["csv", "xlsx"]).optional().describe("csv unless said otherwise") }),
    example: { query: { format: "xlsx" } },
    async run({ db, mask }, { path: { id }, query: { format = "csv" } }) {
      const [match] = await listStatementMatches(db, { id }, 1);
      if (match === undefined) return null;
      const sheet = matchSheet(db, match, mask);
      return sheetFile(sheet, `statement-${match.from}-${match.to}`, format, match.madeAt);
    },
  }),
] as const;
