import { createReadStream, existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { Command } from "commander";
import { sheetFile } from "../../books/report/sheet-file.ts";
import { refuseSize, STATEMENT_BYTES } from "../../books/statement/decode-statement.ts";
import { matchSheet } from "../../books/statement/match-sheet.ts";
import type { KeptMatch, StatementMatch } from "../../books/statement/statement-match-row.ts";
import { bookTimeOf } from "../../kit/book-days.ts";
import { notFoundError, RelayError, usageError } from "../../kit/errors.ts";
import { withoutCallbackTokens } from "../../kit/mask.ts";
import { moneyIn } from "../../kit/money-text.ts";
import { linesText, numberOf } from "../../kit/text.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandInput, operationCommand, type ResultOf } from "../operation-command.ts";
import { noneText } from "../option-values.ts";
import { writeFileUnlessStopped } from "../write-file.ts";

/** Is everything that was to be settled at the bank, and the other way round? Exit code 1 unless nothing is left over. */
export function matchCommand(context: CommandContext): Command {
  const list = operationCommand(context, "listStatementMatches", {
    name: "list",
    text: ({ matches }, given) =>
      matches.length > 0
        ? renderList(matches, context)
        : noneText(
            given,
            "No statement has been matched yet: invoice-relay match <file> does.",
            "No statement that was matched fits these filters.",
          ),
  });
  const show = operationCommand(context, "showStatementMatch", {
    name: "show",
    description: "show what came of a statement: the figures, and what was left over; --out writes all of it",
    options: { after: "after <position>" },
    extend: withOut,
    // `match` has the option as well, and takes it wherever it stands.
    input: (given) => withFormat({ ...given, out: whole.opts().out }),
    async show(match) {
      await writeReport(context, match, whole.opts());
      context.show(match, () =>
        [figuresText(match, context), ...leftTexts(match.items, match.currency)].join("\n"),
      );
      if (match.next !== null)
        context.remark(`There is more: --after ${match.next}, or --out <file> for all.`);
    },
  });
  const whole = operationCommand(context, "matchStatement", {
    name: "match",
    options: {
      from: "from <day>",
      to: "to <day>",
      decimal: "decimal <sign>",
      only: "only <text>",
      days: "days <number>",
    },
    without: ["name"],
    extend: (command) => withOut(command.argument("<file>", "the statement, as CSV")),
    input: (given, [path = ""]) => withFormat({ ...given, name: basename(path), file: statementAt(path) }),
    async show(match, options) {
      if (!match.clean) context.fault();
      await writeReport(context, match, options);
      context.show(match, () => matchedText(match, context));
    },
  })
    .addCommand(list)
    .addCommand(show);
  return whole;
}

const withOut = (command: Command): Command =>
  command.option("--out <file>", "write every line and sum there, whole or not at all: .csv or .xlsx");

function withFormat(given: CommandInput): CommandInput {
  if (given.out === undefined) return given;
  const out = String(given.out);
  if (!/\.(csv|xlsx)$/i.test(out)) throw usageError(`--out ${out} should end in .csv or .xlsx.`);
  // Before anything is matched and kept.
  if (!existsSync(dirname(out)))
    throw usageError(`There is no folder ${dirname(resolve(out))}. Name a file elsewhere.`);
  return given;
}

/** @throws RelayError when it cannot be read, before anything else is done. */
function statementAt(path: string): AsyncIterable<Uint8Array> {
  try {
    const found = statSync(path);
    if (found.isDirectory()) throw usageError(`${path} is a folder. Name a file in it.`);
    if (found.size > STATEMENT_BYTES) throw refuseSize();
  } catch (error) {
    throw unreadable(path, error);
  }
  return (async function* () {
    try {
      yield* createReadStream(path) as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw unreadable(path, error);
    }
  })();
}

function unreadable(path: string, error: unknown): unknown {
  if (error instanceof RelayError || !(error instanceof Error) || !("code" in error)) return error;
  if (error.code === "ENOENT") return notFoundError(`There is no file ${path}.`);
  return usageError(`${path} cannot be read (${error.code}).`, error);
}

async function writeReport(
  context: CommandContext,
  match: StatementMatch,
  { out }: CommandInput,
): Promise<void> {
  if (out === undefined) return;
  const file = String(out);
  const rows = await context.withDatabase(async (db) => {
    const sheet = matchSheet(db, match, withoutCallbackTokens);
    const format = /\.csv$/i.test(file) ? "csv" : "xlsx";
    const { parts, totals } = sheetFile(sheet, file, format, match.madeAt);
    await writeFileUnlessStopped(context, file, parts);
    return totals.rows;
  });
  context.remark(`Wrote ${file}: ${numberOf(rows, "row")}.`);
}

function matchedText(match: ResultOf<"matchStatement">, context: CommandContext): string {
  const { mapping, remembered, before, left, timeZone } = match;
  const debit = mapping.debit === null ? "" : `, less ${mapping.debit}`;
  const order = mapping.dateOrder === null ? "" : ` (${mapping.dateOrder})`;
  const decimals = mapping.decimal === null ? "" : `, decimals "${mapping.decimal}"`;
  const read =
    `Read by the columns ${mapping.date}${order} and ${mapping.amount}${debit}${decimals}, ` +
    `${match.encoding}${mapping.only === null ? "" : `, only lines with "${mapping.only}"`}${remembered ? "; as remembered" : ""}.`;
  const again =
    before === null
      ? []
      : [
          `This very file was matched before, at ${bookTimeOf(before.madeAt, timeZone)} by ${before.madeBy}` +
            ` (${before.id}): ${before.isSame ? "it came to the same." : "it came to something else, or was read otherwise."}`,
        ];
  const named = leftTexts(left, match.currency);
  const report = `All of it: invoice-relay match show ${match.id} --out statement.xlsx`;
  return [read, ...again, figuresText(match, context), ...named, ...(match.clean ? [] : [report])].join("\n");
}

function figuresText(
  { fileName, source, collection, from, to, currency, clean, figures }: StatementMatch,
  context: CommandContext,
): string {
  const { states, others, undated, undatedLines, outside, withoutAmount } = figures;
  const notes = [
    [others.count, `Lines that are not settlements (${moneyIn(currency, others.amount)} in all)`],
    [undated, `Lines without a date or an amount${linesText(undatedLines, undated)}`],
    [outside, "Lines of other days"],
    [withoutAmount, "Payments without a settleable amount at the provider, which are in no sum"],
  ] as const;
  return [
    `${fileName}: ${source}${collection === null ? "" : `, ${collection}`}, ${from} to ${to}: ${clean ? "nothing is left over." : "something is left over."}`,
    context.table(states, {
      state: "state",
      lines: "lines",
      "at the bank": ({ lineAmount }) => moneyIn(currency, lineAmount),
      sums: "sums",
      payments: "payments",
      "to be settled": ({ sumAmount }) => moneyIn(currency, sumAmount),
    }),
    ...(states.some(({ sums }) => sums > 0) ? [] : ["There was nothing to be settled in these days."]),
    ...notes.filter(([count]) => count > 0).map(([count, words]) => `${words}: ${count}.`),
  ].join("\n");
}

type Left = Omit<KeptMatch, "lines"> & { lines: (KeptMatch["lines"][number] & { texts?: string[] })[] };

/** Each by name, with its candidates: two are shown as two. */
const leftTexts = (left: readonly Left[], currency: string): string[] =>
  left.map(({ state, why, difference, lines, sums }) =>
    [
      `${state} (${why}), difference ${moneyIn(currency, difference)}`,
      ...lines.map(({ line, day, amount, texts = [] }) =>
        `  line ${line}, ${day}: ${moneyIn(currency, amount)} ${texts.join(" ").slice(0, 120)}`.trimEnd(),
      ),
      ...sums.map(
        ({ collection, frequency, day, amount, payments, invoiceId }) =>
          `  ${collection} (${frequency}), ${day}: ${moneyIn(currency, amount)} ${invoiceId ?? `(${payments} payments)`}`,
      ),
    ].join("\n"),
  );

const renderList = (matches: readonly StatementMatch[], context: CommandContext): string =>
  context.table(matches, {
    id: "id",
    source: "source",
    collection: "collection",
    from: "from",
    to: "to",
    file: "fileName",
    matched: ({ madeAt }) => madeAt.toISOString(),
    by: "madeBy",
    "left over": ({ clean }) => (clean ? "nothing" : "something"),
  });
