import { table } from "../../../src/cli/table.ts";

export interface TableOf {
  title: string;
  header: string[];
  rows: (string | number | null)[][];
  /** A line below it. */
  note?: string;
}

/** What a bench found out: tables for people, figures for programs. */
export interface Report {
  tables: TableOf[];
  figures: Record<string, unknown>;
}

/** Whole above 100, else three digits: more would claim a precision that is not there. */
export function rounded(figure: number): number {
  return Math.abs(figure) >= 100 ? Math.round(figure) : Number(figure.toPrecision(3));
}

/** Prints the report to stdout. */
export function printReport({ tables, figures }: Report, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
    return;
  }
  for (const { title, header, rows, note } of tables) {
    const shown = table(
      rows,
      header.map((name, at) => [name, (row) => row[at]]),
    );
    process.stdout.write(`\n${title}\n\n${shown}\n${note === undefined ? "" : `${note}\n`}`);
  }
}

/** Prints what is going on, to stderr. */
export const tell = (text: string): void => void process.stderr.write(`${text}\n`);
