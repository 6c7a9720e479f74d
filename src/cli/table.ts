import { plainText } from "../kit/text.ts";

export type Cell = string | number | boolean | Date | null | undefined;

/** What stands below each name: a field of the row, or what is made of it. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>;
type Column<Row> = FieldOf<Row> | ((row: Row) => Cell);
type FieldOf<Row> = keyof {
  [Key in keyof Row as string extends Key ? never : Row[Key] extends Cell ? Key : never]: Key;
} &
  string;

const MISSING = "-";

/**
 * A plain table: columns two spaces apart, numbers and money aligned right, `-` for a missing value. Text from
 * outside cannot control the terminal: control characters are shown as �.
 * @param columns as a list where two have the same name
 */
export function table<Row>(
  rows: readonly Row[],
  columns: Columns<Row> | readonly (readonly [name: string, Column<Row>])[],
): string {
  const list: readonly (readonly [string, Column<Row>])[] = Array.isArray(columns)
    ? columns
    : Object.entries(columns);
  const cells = rows.map((row) =>
    list.map(([, cell]) => (typeof cell === "function" ? cell(row) : (row[cell] as Cell))),
  );
  const lines = [list.map(([name]) => name), ...cells.map((row) => row.map(cellText))];
  const widths = list.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const isRight = list.map((_, column) => rows.length > 0 && cells.every((row) => isNumber(row[column])));
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          isRight[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Lines of a name and its value, the values below each other; what has no value is left out. */
export function sheet(fields: readonly (readonly Cell[])[]): string[] {
  const given = fields
    .filter(([, value]) => !isMissing(value))
    .map(([name, value]) => [name, value].map(cellText));
  const width = Math.max(0, ...given.map(([name = ""]) => name.length));
  return given.map(([name = "", value]) => `  ${name.padEnd(width)}  ${value}`);
}

/** A number, or an amount as `money` and `moneyIn` write it. */
const isNumber = (cell: Cell): boolean =>
  cell === null ||
  cell === undefined ||
  (typeof cell === "string" ? /^([A-Z]{3} )?-?\d{1,3}(,\d{3})*\.\d+$/.test(cell) : typeof cell === "number");

const isMissing = (cell: Cell): cell is null | undefined | "" =>
  cell === null || cell === undefined || cell === "";

function cellText(cell: Cell): string {
  if (isMissing(cell)) return MISSING;
  if (cell instanceof Date) return cell.toISOString();
  return plainText(typeof cell === "number" ? cell.toLocaleString("en-US") : String(cell));
}
