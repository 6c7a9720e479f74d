import { stringify } from "csv-stringify/sync";
import { CSV_FORM } from "../../kit/text.ts";
import type { Parts } from "../file.ts";
import { type Cell, type Sheet, type SheetColumn, type Total, Totals } from "./sheet.ts";
import { xlsxParts } from "./xlsx.ts";

export const MEDIA_TYPES = {
  csv: "text/csv",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;

/** A sheet as a file, made while it is read; its totals are complete then. */
export function sheetFile(sheet: Sheet, name: string, format: keyof typeof MEDIA_TYPES, madeAt: Date) {
  const totals = new Totals(sheet);
  return {
    fileName: `${name}.${format}`,
    mediaType: MEDIA_TYPES[format],
    parts: format === "csv" ? csvParts(sheet, totals) : xlsxParts(sheet, totals, madeAt),
    columns: sheet.columns,
    totals,
  };
}

const ROWS_AT_ONCE = 200;

/**
 * A sheet as CSV (RFC 4180, UTF-8): one header row, the rows, and a total row for each currency, whose sums are
 * marked so that a spreadsheet does not add them to the column that they sum: `sum 1500.50`.
 * @param totals adds up the rows as they are written.
 */
async function* csvParts({ columns, rows }: Sheet, totals: Totals): Parts {
  yield lines([columns.map(({ name }) => name)]);
  let waiting: (readonly Cell[])[] = [];
  for await (const row of rows) {
    totals.add(row);
    waiting.push(row.cells);
    if (waiting.length < ROWS_AT_ONCE) continue;
    yield lines(waiting);
    waiting = [];
  }
  yield lines([...waiting, ...totals.all.map((total) => totalRow(columns, total))]);
}

const lines = (rows: readonly (readonly Cell[])[]): string => stringify([...rows], CSV_FORM);

const totalRow = (columns: readonly SheetColumn[], { currency, count, sums }: Total): Cell[] =>
  columns.map(({ name, total }, at) => {
    if (at === 0) return "total";
    if (name === "currency") return currency;
    return total === "count" ? `count ${count}` : total === "sum" ? `sum ${sums[at]}` : null;
  });
