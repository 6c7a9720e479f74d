import { usageError } from "../../kit/errors.ts";

export interface CsvRow {
  line: number;
  cells: string[];
}

/**
 * The rows of a CSV file (RFC 4180, any delimiter and line end), without those that are empty. Read by hand, because
 * whatever is refused has to be named by its line, also after a cell of several lines.
 * @throws RelayError for a quotation mark that is never closed, or closed by another cell's, with its line.
 */
export function* csvRows(text: string, delimiter: string): Generator<CsvRow, void, undefined> {
  let line = 1;
  for (let at = 0; at < text.length; ) {
    const row: CsvRow = { line, cells: [] };
    for (let ended = false; !ended; ) {
      const cell = text[at] === '"' ? quotedCell(text, at, line, delimiter) : plainCell(text, at, delimiter);
      row.cells.push(cell.value.trim());
      line += cell.lines;
      ended = text[cell.end] !== delimiter;
      at = cell.end + 1;
    }
    if (text[at - 1] === "\r" && text[at] === "\n") at += 1;
    line += 1;
    if (row.cells.some((cell) => cell !== "")) yield row;
  }
}

interface Cell {
  value: string;
  /** Of what follows: a delimiter, a line end, or the end. */
  end: number;
  /** Line ends inside of it. */
  lines: number;
}

function plainCell(text: string, from: number, delimiter: string): Cell {
  let end = from;
  for (; end < text.length; end += 1) {
    const sign = text[end];
    if (sign === delimiter || sign === "\n" || sign === "\r") break;
  }
  return { value: text.slice(from, end), end, lines: 0 };
}

function quotedCell(text: string, from: number, line: number, delimiter: string): Cell {
  let close = text.indexOf('"', from + 1);
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  if (close === -1)
    throw usageError(
      `Line ${line} opens a quotation mark (") that is never closed. Export the statement again.`,
    );
  const value = text.slice(from + 1, close).replaceAll('""', '"');
  const rest = plainCell(text, close + 1, delimiter);
  if (rest.value.trim() !== "")
    throw usageError(
      `Line ${line} has text after a closing quotation mark ("): one before it is not closed, or one inside of the ` +
        "text is not doubled. Export the statement again.",
    );
  return { value, end: rest.end, lines: value.split(/\r\n|\r|\n/).length - 1 };
}
