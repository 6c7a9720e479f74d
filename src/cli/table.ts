import { plainText } from "./terminal-text.ts";

export type Cell = string | number | boolean | Date | null | undefined;

/**
 * A plain table: columns two spaces apart, numbers aligned right, `-` for a missing value. Text from outside
 * cannot control the terminal: control characters are shown as �.
 */
export function table(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [header, ...rows.map((row) => header.map((_, column) => cellText(row[column])))];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ""))));
  const isNumeric = header.map((_, column) => rows.length > 0 && rows.every((row) => isNumber(row[column])));
  return lines
    .map((line) =>
      line
        .map((cell, column) => {
          const room = " ".repeat((widths[column] ?? 0) - widthOf(cell));
          return isNumeric[column] === true ? room + cell : cell + room;
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const widthOf = (text: string): number => [...text].length;

const isNumber = (cell: Cell): boolean => typeof cell === "number" || cell === null || cell === undefined;

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined || cell === "") return "-";
  if (cell instanceof Date) return cell.toISOString();
  return plainText(typeof cell === "number" ? cell.toLocaleString("en-US") : String(cell));
}
