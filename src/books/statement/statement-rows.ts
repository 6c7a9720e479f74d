import { usageError } from "../../kit/errors.ts";
import { isSerial } from "./cell-values.ts";
import { type CsvRow, csvRows } from "./csv-rows.ts";
import type { Mapping } from "./statement-columns.ts";

/** More rows than any bank's month. */
const ROW_LIMIT = 400_000;
/** How many lines are named at once. */
export const NAMED = 10;

export interface Row extends CsvRow {
  date: string;
  amount: string;
  debit: string;
}

export interface At {
  line: number;
  cell: string;
}

export const isDated = ({ date, amount, debit }: Row): boolean => date !== "" && amount + debit !== "";

export function rowsBelow(
  text: string,
  header: CsvRow,
  { delimiter, columns, date, amount, debit }: Omit<Mapping, "decimal" | "dateOrder" | "only">,
): Row[] {
  const at = (name: string | null) => (name === null ? -1 : columns.indexOf(name));
  const [dateAt, amountAt, debitAt] = [at(date), at(amount), at(debit)];
  const rows: Row[] = [];
  const top = JSON.stringify(columns);
  for (const row of csvRows(text, delimiter)) {
    if (row.line <= header.line) continue;
    const { line } = row;
    // Some exports write the header on every page.
    const cells = JSON.stringify(row.cells) === top ? [] : row.cells;
    if (rows.length === ROW_LIMIT)
      throw usageError(
        `The statement has more than ${ROW_LIMIT.toLocaleString("en-US")} lines. Export one month at a time.`,
      );
    rows.push({
      line,
      cells,
      date: told(cells[dateAt]),
      amount: told(given(cells[amountAt])),
      debit: told(given(cells[debitAt])),
    });
  }
  return rows;
}

/** Refusals quote what is no date and no amount: of a long text the beginning, which is neither because of its mark. */
const told = (cell = ""): string => (cell.length > 80 ? `${cell.slice(0, 80)}…` : cell);

/** Some banks write a dash where nothing moved, and the minus sign that is no hyphen. */
const given = (cell = ""): string => (/^[-–—−]$/.test(cell) ? "" : cell.replaceAll("−", "-"));

export const WENT = /^(d|dr|debit( (transfer|transaction|entry|note))?|withdrawal|out|-)\.?$/i;
const CAME = /^(c|cr|credit( (transfer|transaction|entry|note))?|deposit|in|\+)\.?$/i;

/** `Dr/Cr`, `D/C`, `Debit/Credit Indicator`, `Sign`. */
const DIRECTION_COLUMN =
  /^((d|dr|debit)\W*(c|cr|credit)|(c|cr|credit)\W*(d|dr|debit)|sign|direction)( (indicator|flag|type))?$/i;

/**
 * The column that says of amounts without a sign whether they came in or went out; -1 without one: one that is named
 * so, else one in which nothing else stands. Of several, as where another tells of the balance, it is the one beside the
 * amount. Some lines may leave it empty.
 * @throws RelayError when a line's word is not known, or none of several is beside the amount.
 */
export function directionAt({ columns, amount, debit }: Mapping, rows: readonly Row[]): number {
  if (debit !== null) return -1;
  const amountAt = columns.indexOf(amount);
  const saidIn = (index: number): At[] =>
    rows.flatMap(({ line, cells }) => (cells[index] ? [{ line, cell: cells[index] }] : []));
  const isSide = ({ cell }: At) => WENT.test(cell) || CAME.test(cell);
  const filled = columns.flatMap((name, index) => {
    const said = index === amountAt ? [] : saidIn(index);
    return said.length === 0 ? [] : [{ name, index, said }];
  });
  const named = filled.filter(({ name }) => DIRECTION_COLUMN.test(name));
  // A dash alone stands for nothing.
  const alike = filled.filter(({ said }) => said.every(isSide) && said.some(({ cell }) => /\w/.test(cell)));
  const among = named.length > 0 ? named : alike;
  const [only, ...others] = among;
  const beside = [amountAt + 1, amountAt - 1].flatMap((at) => among.filter(({ index }) => index === at));
  const chosen = beside[0] ?? (others.length === 0 ? only : undefined);
  if (chosen === undefined) {
    if (!among.some(({ said }) => said.some(({ cell }) => WENT.test(cell)))) return -1;
    throw usageError(
      `The columns ${among.map(({ name }) => `"${name}"`).join(" and ")} could both say what went out. Remove the one ` +
        "that does not tell of the amount.",
    );
  }
  refuse(
    chosen.said
      .filter((one) => !isSide(one))
      .map(({ line, cell }) => `line ${line}: "${cell}" in "${chosen.name}" is neither debit nor credit`),
    "Write DR or CR there, or rename the column.",
  );
  return chosen.index;
}

/**
 * A line that lacks a delimiter has its amount in another column, and one that a line end breaks would be missing from
 * the sums. Only what no line has may be left out at the end, and what every line has too many of may be empty there.
 * @throws RelayError that names the lines.
 */
export function refuseShifted(
  rows: readonly Row[],
  { columns, date, amount, debit }: Pick<Mapping, "columns" | "date" | "amount" | "debit">,
  dayOf: (cell: string) => string | null,
): void {
  const dated = rows.filter(isDated);
  const isEven = dated.every(({ cells }) => cells.length === dated[0]?.cells.length);
  const counting = [date, amount, debit].map((name) => columns.indexOf(name ?? date));
  const last = dated.reduce(
    (most, { cells }) =>
      Math.max(
        most,
        cells.findLastIndex((cell) => cell !== ""),
      ),
    Math.max(...counting),
  );
  const isMoved = (row: Row) =>
    (row.cells.length <= last || (row.cells.length > columns.length && !isEven)) &&
    (isDated(row) || row.cells.some((cell) => !isSerial(cell) && dayOf(cell) !== null));
  refuse(
    rows
      .filter((row) => row.cells.findLastIndex((cell) => cell !== "") >= columns.length || isMoved(row))
      .map(({ line, cells }) => `line ${line} has ${cells.length} cells, the header has ${columns.length}`),
    "Put amounts with commas and texts with line ends in quotation marks, write every delimiter, and take out lines " +
      "that are none of the account's.",
  );
}

export function refuse(wrong: readonly string[], advice: string): void {
  if (wrong.length === 0) return;
  const more = wrong.length > NAMED ? `; and ${wrong.length - NAMED} more` : "";
  throw usageError(`The statement cannot be read: ${wrong.slice(0, NAMED).join("; ")}${more}. ${advice}`);
}
