import { plainText } from "../../platform/values/index.ts";

export type Cell = string | number | boolean | Date | null | undefined;

/** The cell below each name: a field of the row, or a value made of the row. */
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

/** A result as a person reads it: a name and a value a line, those inside of others by their path, lists as tables. */
export function anyText(result: unknown): string {
  if (Array.isArray(result)) return listText(result);
  const fields = fieldsOf(result);
  const lists = fields.filter(([, value]) => isListOfObjects(value));
  const lines = sheet(
    fields.filter(([, value]) => !isListOfObjects(value)).map(([name, value]) => [name, cellOf(value)]),
  );
  const tables = lists.map(([name, value]) => `${name}\n${listText(value as unknown[])}`);
  return [lines.join("\n"), ...tables].filter((part) => part !== "").join("\n\n");
}

function listText(rows: readonly unknown[]): string {
  if (rows.length === 0) return "None.";
  const all = rows.map((row) => Object.fromEntries(fieldsOf(row)));
  const names = [...new Set(all.flatMap((row) => Object.keys(row)))];
  return table(
    all,
    names.map((name) => [name, (row) => cellOf(row[name])] as const),
  );
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Date) &&
  !("rawJSON" in value);
const isListOfObjects = (value: unknown): boolean =>
  Array.isArray(value) && (value.length === 0 || value.some(isObject));

/** Of what is inside too, each by its path. */
const fieldsOf = (value: unknown, path = ""): [name: string, value: unknown][] =>
  Object.entries(value ?? {}).flatMap(([name, inner]): [string, unknown][] =>
    isObject(inner) ? fieldsOf(inner, `${path}${name}.`) : [[path + name, inner]],
  );

function cellOf(value: unknown): Cell {
  if (Array.isArray(value)) return value.map(cellOf).join(", ");
  // A number of many digits (`RawJson`) is written as they stand, an id without commas.
  return typeof value === "number" ||
    isObject(value) ||
    (typeof value === "object" && value !== null && "rawJSON" in value)
    ? JSON.stringify(value)
    : (value as Cell);
}

/** Like `plainText`, for text of several lines: tabs and line ends stay. */
export const plainLines = (text: string): string =>
  text.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD");

/** Equivalent JSON that cannot control a terminal: `JSON.stringify` escapes only C0. */
export const plainJson = (json: string): string =>
  json.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(""),
  );

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;
