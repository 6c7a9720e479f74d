import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
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
 * A plain table: columns two spaces apart, numbers and money aligned right, `-` for a missing value. Where it
 * is wider than the terminal, columns that say the same in every row are said once below it; where that is
 * not enough, each row is a card. Text from outside cannot control the terminal: control characters are shown
 * as �.
 * @param columns as a list where two have the same name
 * @param width what the terminal holds; without one, nothing is narrow
 */
export function table<Row>(
  rows: readonly Row[],
  columns: Columns<Row> | readonly (readonly [name: string, Column<Row>])[],
  width?: number,
): string {
  const list: readonly (readonly [string, Column<Row>])[] = Array.isArray(columns)
    ? columns
    : Object.entries(columns);
  const header = list.map(([name]) => name);
  const cells = rows.map((row) =>
    list.map(([, cell]) => (typeof cell === "function" ? cell(row) : (row[cell] as Cell))),
  );
  const isRight = header.map((_, column) => rows.length > 0 && cells.every((row) => isNumber(row[column])));
  const wide = linesOf(header, textsOf(cells), isRight);
  if (width === undefined || widestOf(wide) <= width) return wide.join("\n");
  const texts = textsOf(cells, { toTheSecond: true });
  const isSame = (column: number) =>
    column > 0 && rows.length > 1 && texts.every((row) => row[column] === texts[0]?.[column]);
  const differing = header.map((_, column) => column).filter((column) => !isSame(column));
  const pick = <Value>(row: readonly Value[]) => differing.map((column) => row[column] as Value);
  const lines = linesOf(pick(header), texts.map(pick), pick(isRight));
  const body = widestOf(lines) <= width ? lines.join("\n") : cards(pick(header), texts.map(pick), width);
  const same = header.flatMap((name, column) => {
    const text = texts[0]?.[column];
    return isSame(column) && text !== MISSING ? [`${name} ${text}`] : [];
  });
  return same.length === 0
    ? body
    : [body, "", ...wrapped(`In every row: ${same.join(", ")}`, width)].join("\n");
}

/** The lines of a text, broken between words; a longer word stays whole, to be copied. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && widthOf(line) <= width) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines;
}

/** Lines of a name and its value, the values below each other; what has no value is left out. */
export function sheet(fields: readonly (readonly Cell[])[]): string[] {
  const texts = fields.map(([name, value]) => [cellText(name, false), cellText(value, false)] as const);
  const given = texts.filter((_, at) => !isMissing(fields[at]?.[1]));
  const named = Math.max(0, ...given.map(([name]) => widthOf(name)));
  return given.map(([name, value]) => `  ${padded(name, named)}  ${value}`);
}

function cards(header: readonly string[], texts: readonly string[][], width: number): string {
  const named = Math.max(0, ...header.slice(1).map((name) => widthOf(name)));
  return texts
    .map(([first = MISSING, ...others]) =>
      [
        first,
        ...others.flatMap((text, column) => {
          const line = `  ${padded(header[column + 1] ?? "", named)}  ${text}`;
          if (text === MISSING) return [];
          if (widthOf(line) <= width) return [line];
          return [`  ${header[column + 1]}`, ...wrapped(text, width - 4).map((part) => `    ${part}`)];
        }),
      ].join("\n"),
    )
    .join("\n");
}

function linesOf(
  header: readonly string[],
  texts: readonly string[][],
  isRight: readonly boolean[],
): string[] {
  const all = [header, ...texts];
  const widths = header.map((_, column) => Math.max(...all.map((line) => widthOf(line[column] ?? ""))));
  return all.map((line) =>
    line
      .map((cell, column) => {
        const room = " ".repeat((widths[column] ?? 0) - widthOf(cell));
        return isRight[column] === true ? room + cell : cell + room;
      })
      .join("  ")
      .trimEnd(),
  );
}

/** Node's own measure of what a terminal shows is to be had of a prompt only. */
const prompt = createInterface({ input: new PassThrough() });

/** In columns of a terminal, of which CJK and emoji take two each, and a combining mark none. */
function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  prompt.setPrompt(text);
  return prompt.getCursorPos().cols;
}

const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)));
const widestOf = (lines: readonly string[]): number => Math.max(0, ...lines.map(widthOf));

/** A number, or an amount as `money` and `moneyIn` write it. */
const isNumber = (cell: Cell): boolean =>
  cell === null ||
  cell === undefined ||
  (typeof cell === "string" ? /^([A-Z]{3} )?-?\d{1,3}(,\d{3})*\.\d+$/.test(cell) : typeof cell === "number");

const textsOf = (cells: readonly (readonly Cell[])[], { toTheSecond = false } = {}): string[][] =>
  cells.map((row) => row.map((cell) => cellText(cell, toTheSecond)));

const isMissing = (cell: Cell): cell is null | undefined | "" =>
  cell === null || cell === undefined || cell === "";

function cellText(cell: Cell, toTheSecond: boolean): string {
  if (isMissing(cell)) return MISSING;
  if (cell instanceof Date)
    return toTheSecond ? `${cell.toISOString().slice(0, 19).replace("T", " ")}Z` : cell.toISOString();
  return plainText(typeof cell === "number" ? cell.toLocaleString("en-US") : String(cell));
}
