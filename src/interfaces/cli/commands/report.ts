import { extname } from "node:path";
import type { Command } from "commander";
import {
  bookOperations,
  type Parts,
  type SheetColumn,
  type Total,
  writeWholeFile,
} from "../../../operations/index.ts";

import { RelayError, usageError } from "../../../platform/errors/index.ts";

import type { CommandContext } from "../command-context.ts";
import { type CommandInput, operationCommand, Progress } from "../operation-command.ts";

export const reportCommand = (context: CommandContext): Command =>
  operationCommand(context, bookOperations, "exportReport", {
    name: "report",
    extend: (command) =>
      command.option("--out <file>", "write it there, whole or not at all; its name says the format"),
    input: (given) => ({ ...given, format: formatOf(given) }),
    async show({ fileName, mediaType, parts, columns, totals }, options) {
      const out = options.out === undefined ? null : String(options.out);
      if (out === null && !context.json && mediaType !== "text/csv")
        throw usageError(`XLSX is not text. Name a file: --out ${fileName}`);
      const bar = new Progress(context.stderr);
      const counted = async function* () {
        for await (const part of parts) {
          yield part;
          bar.reached("rows", totals.rows, null);
        }
      };
      if (out !== null) await writeFileUnlessStopped(context, out, counted());
      else for await (const part of counted()) if (!context.json) context.stdout.write(String(part));
      bar.end();
      const described = totals.all.map((total) => totalOf(columns, total));
      if (context.json) context.show({ file: out, rows: totals.rows, totals: described }, () => "");
      else {
        if (out !== null)
          context.remark(
            `Wrote ${out}: ${totals.rows.toLocaleString("en-US")} ${totals.rows === 1 ? "row" : "rows"}.`,
          );
        if (totals.rows === 0) context.remark("There is nothing of this kind in this period.");
      }
    },
  });

/** What the option says, or the name of the file. @throws RelayError when they disagree. */
function formatOf({ format, out }: CommandInput): unknown {
  const ending = extname(String(out ?? "")).toLowerCase();
  const named = /^\.(csv|xlsx)$/.exec(ending)?.[1];
  if (format === undefined && named === undefined && ending !== "")
    throw usageError(`--out ${out} should end in .csv or .xlsx, or say --format.`);
  if (format !== undefined && named !== undefined && format !== named)
    throw usageError(`--format ${format} does not go with a file named ${out}.`);
  return format ?? named;
}

const totalOf = (columns: readonly SheetColumn[], { currency, count, sums }: Total) => ({
  currency,
  rows: count,
  ...Object.fromEntries(columns.flatMap(({ name }, at) => (sums[at] == null ? [] : [[name, sums[at]]]))),
});

/**
 * Writes a file whole; a person who stops the command meanwhile leaves nothing behind.
 * @returns how many bytes were written. @throws RelayError when it was stopped, or cannot be written.
 */
export async function writeFileUnlessStopped(
  context: CommandContext,
  file: string,
  parts: Parts,
): Promise<number> {
  const stop = context.listenForStop();
  const untilStopped = async function* () {
    for await (const part of parts) {
      if (stop.signal.aborted) throw new RelayError(`Stopped before the end: ${file} was not written.`);
      yield part;
    }
  };
  try {
    return await writeWholeFile(file, untilStopped());
  } finally {
    stop.release();
  }
}
