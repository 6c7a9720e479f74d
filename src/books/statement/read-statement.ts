import { usageError } from "../../kit/errors.ts";
import { compareMoney, type Money, sumOfMoney } from "../../provider/provider.ts";
import {
  amountIn,
  type DateOrder,
  type Decimal,
  dayIn,
  decimalShownBy,
  hasThreeDecimals,
  isOfAnother,
  needsOrder,
  orderShownBy,
} from "./cell-values.ts";
import { type CsvRow, csvRows } from "./csv-rows.ts";
import { decodeStatement, type Encoding } from "./decode-statement.ts";
import { findColumns, type Mapping, type MappingGiven } from "./statement-columns.ts";

export interface StatementLine {
  /** Of the file, from 1. */
  line: number;
  /** The bank's, YYYY-MM-DD. */
  day: string;
  amount: Money;
  /** Every other cell. */
  texts: string[];
  /** The line that says the same in every cell; null when none does. */
  duplicateOf: number | null;
}

export interface Statement {
  mapping: Mapping;
  remembered: boolean;
  encoding: Encoding;
  lines: StatementLine[];
  /** The first and last day of any line. */
  from: string;
  to: string;
  /** Lines that are not settlements: what went out, and what has not the text of `only`. */
  others: { count: number; amount: Money };
  /** How many lines have no date or no amount, such as totals and balances. */
  undated: number;
}

/** More rows than any bank's month. */
const ROW_LIMIT = 400_000;
const NAMED = 10;

interface Row extends CsvRow {
  date: string;
  amount: string;
  debit: string;
}

/**
 * Reads a bank's statement. Pure.
 * @param remembered mappings of earlier statements, the newest first
 * @param currency of the books
 * @throws RelayError that names the lines that cannot be read, or what has to be said because the file does not
 * show it.
 */
export function readStatement(
  bytes: Uint8Array,
  given: MappingGiven,
  remembered: readonly Mapping[],
  currency: string,
): Statement {
  const { text, encoding } = decodeStatement(bytes);
  const { header, named, known } = findColumns(text, given, remembered);
  const rows = rowsBelow(text, header, named);
  const { dated = [], undated = [] } = Object.groupBy(rows, ({ date, amount, debit }) =>
    date !== "" && amount + debit !== "" ? "dated" : "undated",
  );
  if (dated.length === 0)
    throw usageError("The statement has a header, and no line below it. Export it again.");
  const amounts = dated.flatMap(({ line, amount, debit }) => [
    { line, cell: amount },
    { line, cell: debit },
  ]);
  const mapping: Mapping = {
    ...named,
    decimal: given.decimal ?? known?.decimal ?? decimalOf(amounts.filter(({ cell }) => cell !== "")),
    dateOrder:
      given.dateOrder ?? known?.dateOrder ?? orderOf(dated.map(({ line, date }) => ({ line, cell: date }))),
    only: given.only === undefined ? (known?.only ?? null) : given.only,
  };
  refuseAnother(currency, named, rows, amounts);
  if (given.decimal === undefined) refuseThousands(currency, mapping.decimal, amounts);
  return {
    mapping,
    encoding,
    remembered: known !== null,
    undated: undated.length,
    ...readRows(dated, mapping),
  };
}

function rowsBelow(
  text: string,
  header: CsvRow,
  { delimiter, columns, date, amount, debit }: Omit<Mapping, "decimal" | "dateOrder" | "only">,
): Row[] {
  const at = (name: string | null) => (name === null ? -1 : columns.indexOf(name));
  const [dateAt, amountAt, debitAt] = [at(date), at(amount), at(debit)];
  const rows: Row[] = [];
  const wrong: string[] = [];
  for (const row of csvRows(text, delimiter)) {
    if (row.line <= header.line) continue;
    const { line, cells } = row;
    if (cells.slice(columns.length).some((cell) => cell !== ""))
      wrong.push(`line ${line} has ${cells.length} cells, the header has ${columns.length}`);
    if (rows.length === ROW_LIMIT)
      throw usageError(
        `The statement has more than ${ROW_LIMIT.toLocaleString("en-US")} lines. Export one month at a time.`,
      );
    rows.push({
      line,
      cells,
      date: cells[dateAt] ?? "",
      amount: given(cells[amountAt]),
      debit: given(cells[debitAt]),
    });
  }
  refuse(wrong, "Amounts with commas have to stand in quotation marks.");
  return rows;
}

/** `Amount (USD)`, `amount_usd`. */
const CURRENCY_OF_COLUMN = /\([a-z]{3}\)$|[ _.](ngn|usd|eur|gbp)$/i;

const CURRENCY_COLUMN = /^((account|transaction|trans|txn) )?(currency|curr|ccy)( code)?$/i;

/** What names another currency is no settlement of these books, whatever its number is. */
function refuseAnother(
  currency: string,
  { columns, amount, debit }: Pick<Mapping, "columns" | "amount" | "debit">,
  rows: readonly Row[],
  amounts: readonly At[],
): void {
  const isWrong = (name: string) => isOfAnother(currency, CURRENCY_OF_COLUMN.exec(name)?.[0] ?? "");
  const currencyAt = columns.findIndex((name) => CURRENCY_COLUMN.test(name));
  refuse(
    [
      ...[amount, debit ?? ""].filter(isWrong).map((name) => `"${name}" is not in ${currency}`),
      ...rows
        .map(({ line, cells, ...row }) => ({ line, cell: row.date === "" ? "" : (cells[currencyAt] ?? "") }))
        .filter(({ cell }) => isOfAnother(currency, cell))
        .map(({ line, cell }) => `line ${line}: "${cell}" is not ${currency}`),
      ...amounts
        .filter(({ cell }) => /\d/.test(cell) && isOfAnother(currency, cell))
        .map(({ line, cell }) => `line ${line}: "${cell}" is not in ${currency}`),
    ],
    "Export the account of that currency, or set CURRENCY.",
  );
}

/** An amount such as 1,500 is never read as one and a half because an earlier statement had decimals with a comma. */
function refuseThousands(currency: string, decimal: Decimal | null, amounts: readonly At[]): void {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
  }).resolvedOptions();
  if (decimal === null || maximumFractionDigits > 2) return;
  refuse(
    amounts
      .filter(({ cell }) => hasThreeDecimals(cell, decimal))
      .map(({ line, cell }) => `line ${line}: "${cell}" has three decimals, if "${decimal}" separates them`),
    "Say --decimal; it is remembered.",
  );
}

/** Some banks write a dash where nothing moved. */
const given = (cell = ""): string => (/^[-–—]$/.test(cell) ? "" : cell);

const WENT = /^(dr|d|debit)\.?$/i;
const CAME = /^(cr|c|credit)\.?$/i;

/**
 * The column that says of amounts without a sign whether they came in or went out; -1 without one. What stands there
 * decides, not its name; some lines may leave it empty.
 */
const directionAt = ({ columns, debit }: Mapping, rows: readonly Row[]): number =>
  columns.findIndex((_, index) => {
    const said = rows.map(({ cells }) => cells[index]?.trim() ?? "").filter((one) => one !== "");
    return (
      debit === null &&
      said.some((one) => WENT.test(one)) &&
      said.every((one) => WENT.test(one) || CAME.test(one))
    );
  });

function readRows(
  rows: readonly Row[],
  mapping: Mapping,
): Pick<Statement, "lines" | "from" | "to" | "others"> {
  const { columns, decimal, dateOrder, only } = mapping;
  const lines: StatementLine[] = [];
  const wrong: string[] = [];
  const days: string[] = [];
  const others: Money[] = [];
  const seen = new Map<string, number>();
  const withDecimal = decimal === null ? "" : ` with the decimal "${decimal}"`;
  const textAt = columns.flatMap((name, index) =>
    [mapping.date, mapping.amount, mapping.debit].includes(name) ? [] : [index],
  );
  const sideAt = directionAt(mapping, rows);
  for (const { line, cells, date, amount: cell, debit } of rows) {
    const [day, read, went] = [dayIn(date, dateOrder), amountIn(cell, decimal), amountIn(debit, decimal)];
    const hasGone = WENT.test(cells[sideAt]?.trim() ?? "");
    const came = hasGone && read !== undefined && !read.startsWith("-") ? negated(read) : read;
    if (day === null)
      wrong.push(`line ${line}: "${date}" is no date${needsOrder(date) ? ` (${dateOrder})` : ""}`);
    if (cell !== "" && came === undefined) wrong.push(`line ${line}: "${cell}" is no amount${withDecimal}`);
    if (debit !== "" && went === undefined) wrong.push(`line ${line}: "${debit}" is no amount${withDecimal}`);
    if (day === null || wrong.length > 0) continue;
    days.push(day);
    const texts = textAt.map((index) => cells[index] ?? "");
    const amount = came ?? "0.00";
    const isIn = compareMoney(amount, "0") > 0;
    if (!isIn || (only !== null && !texts.some((one) => one.toLowerCase().includes(only.toLowerCase())))) {
      others.push(isIn ? amount : sumOfMoney([amount, went === undefined ? "0.00" : negated(went)]));
      continue;
    }
    const same = JSON.stringify(cells);
    lines.push({ line, day, amount, texts, duplicateOf: seen.get(same) ?? null });
    if (!seen.has(same)) seen.set(same, line);
  }
  refuse(wrong, "Say --decimal or --date-order if the file has another, or export it again.");
  days.sort();
  const [from = "", to = ""] = [days[0], days.at(-1)];
  return { lines, from, to, others: { count: others.length, amount: sumOfMoney(others) } };
}

const negated = (amount: Money): Money => (amount.startsWith("-") ? amount.slice(1) : `-${amount}`);

interface At {
  line: number;
  cell: string;
}

const decimalOf = (cells: readonly At[]): Decimal | null =>
  agreed(cells, decimalShownBy, ["amounts with the decimal", "--decimal"], (cell) => /[.,]/.test(cell));

const orderOf = (cells: readonly At[]): DateOrder | null =>
  agreed(cells, orderShownBy, ["dates in the order", "--date-order"], needsOrder);

/**
 * What all cells show that show anything.
 * @returns null when nothing has to be known.
 * @throws RelayError when they contradict each other, or none shows it and some need it.
 */
function agreed<Shown extends string>(
  cells: readonly At[],
  shownBy: (cell: string) => Shown | null,
  [what, option]: readonly [string, string],
  needsIt: (cell: string) => boolean,
): Shown | null {
  const firsts = new Map<Shown, At[]>();
  for (const at of cells) {
    const shown = shownBy(at.cell);
    if (shown !== null) firsts.set(shown, [...(firsts.get(shown) ?? []).slice(0, 2), at]);
  }
  const [first, ...others] = [...firsts.keys()];
  if (others.length > 0) {
    const named = [...firsts].map(
      ([shown, some]) =>
        `${what} "${shown}" (${some.map(({ line, cell }) => `line ${line}: ${cell}`).join(", ")})`,
    );
    throw usageError(`The statement mixes ${named.join(" and ")}. Export it again.`);
  }
  const unclear = first === undefined ? cells.find(({ cell }) => needsIt(cell)) : undefined;
  if (unclear === undefined) return first ?? null;
  throw usageError(
    `Line ${unclear.line} has "${unclear.cell}", which can be read in two ways, and no other line shows which. Say ` +
      `${option}; it is remembered.`,
  );
}

function refuse(wrong: readonly string[], advice: string): void {
  if (wrong.length === 0) return;
  const more = wrong.length > NAMED ? `; and ${wrong.length - NAMED} more` : "";
  throw usageError(`The statement cannot be read: ${wrong.slice(0, NAMED).join("; ")}${more}. ${advice}`);
}
