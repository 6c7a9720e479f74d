import { z } from "zod";
import { reopenMonth } from "../../books/month/month-rows.ts";
import { bookMonthOf } from "../../kit/book-days.ts";
import { closed, known, shown } from "../month.ts";
import { closeMonth, listMonths, showMonth } from "../months.ts";
import { BadInput } from "./bad-input.ts";
import { chosenFrom } from "./books.ts";
import { dryRun, reason, source } from "./fields.ts";
import { operationsAbout } from "./operation.ts";

const { get, post } = operationsAbout("Books");

const month = z
  .string()
  .regex(/^(?!0000)\d{4}-(0[1-9]|1[0-2])$/, { error: "should be a month such as 2026-10" })
  .describe("a month in the zone of the books (BOOKS_TIME_ZONE), YYYY-MM");
const monthInPath = z.object({ month });

const why = reason.unwrap().describe("why, for the audit log; no personal data");

export const monthOperations = [
  get("listMonths", "/months", {
    summary: "List the months that are over: open, closed, or changed after they were closed",
    query: z.object({ source }),
    example: { query: {} },
    result: z.object({ months: z.array(known) }),
    run: async ({ db, books }, { query }) => ({
      months: await listMonths(db, chosenFrom(books, query.source), new Date()),
    }),
  }),
  get("showMonth", "/months/{month}", {
    summary: "Show how a month was closed, each time, and what changed since",
    pathParameters: monthInPath,
    query: z.object({ source }),
    example: { path: { month: "2026-10" } },
    result: z.object({ closings: z.array(shown) }),
    async run({ db, books }, { path, query }) {
      const closings = await showMonth(db, chosenFrom(books, query.source), path.month);
      return closings.length === 0 ? null : { closings };
    },
  }),
  post("closeMonth", "/months/{month}/close", {
    summary: "Close a month, of each source for itself, or name everything that is in the way",
    pathParameters: monthInPath,
    body: z.strictObject({
      source,
      waiveStatement: why
        .optional()
        .describe("why it is closed without a matched bank statement, for the audit log"),
      acceptDifferences: why
        .optional()
        .describe("why it is closed although payments differ; never while one is missing"),
      dryRun: dryRun.describe("only show what is in the way"),
    }),
    example: { path: { month: "2026-10" }, body: { dryRun: true } },
    result: z.object({ months: z.array(closed) }),
    async run({ db, books, actor, signer }, { path: { month }, body: { source: name, ...how } }) {
      const sources = chosenFrom(books, name);
      if (sources.every(({ zone }) => month > bookMonthOf(Date.now(), zone)))
        throw new BadInput(`${month} is in the future: it has not begun.`);
      const months = [];
      for (const source of sources)
        months.push(await closeMonth({ db, actor, source, month, signer, ...how }));
      const left = months.filter(({ obstacles }) => obstacles[0]?.code !== "already_closed");
      // Of all sources, those that are closed already are no obstacle to the others.
      return { months: name === undefined && left.length > 0 ? left : months };
    },
  }),
  post("reopenMonth", "/months/{month}/reopen", {
    summary: "Open a closed month again; its closing and addenda are kept",
    pathParameters: monthInPath,
    body: z.strictObject({ source, reason: why }),
    example: { path: { month: "2026-10" }, body: { reason: "a late payment, see the addendum" } },
    result: z.object({ reopened: z.array(z.string()).describe("The sources whose month it was.") }),
    async run({ db, books, actor }, { path: { month }, body }) {
      const reopened: string[] = [];
      for (const { name } of chosenFrom(books, body.source))
        if (await reopenMonth({ db, actor, reason: body.reason, source: name, month })) reopened.push(name);
      return reopened.length === 0 ? null : { reopened };
    },
  }),
] as const;
