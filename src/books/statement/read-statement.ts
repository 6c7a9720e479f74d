import { usageError } from "../../kit/errors.ts";
import { compareMoney, type Money, sumOfMoney } from "../../provider/provider.ts";
import type { BookSource } from "../book-source.ts";
import {
  amountIn,
  currenciesIn,
  type DateOrder,
  type Decimal,
  dayIn,
  decimalShownBy,
  hasThreeDecimals,
  namesOf,
  needsDecimal,
  needsOrder,
  orderShownBy,
} from "./cell-values.ts";
import { decodeStatement, type Encoding } from "./decode-statement.ts";
import { findColumns, type Mapping, type MappingGiven } from "./statement-columns.ts";
import {
  type At,
  directionAt,
  isDated,
  NAMED,
  type Row,
  refuse,
  refuseShifted,
  rowsBelow,
  WENT,
} from "./statement-rows.ts";
import { takesBack } from "./taken-back.ts";

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

/** What amounts are counted in, and where a day of a time with an offset begins. */
export type Books = Pick<BookSource, "currency" | "zone">;

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
  /** Which these are, the first ten. */
  undatedLines: number[];
}

/**
 * Reads a bank's statement. Pure.
 * @param remembered mappings of earlier statements, the newest first
 * @throws RelayError that names the lines that cannot be read, or what has to be said because the file does not
 * show it.
 */
export function readStatement(
  bytes: Uint8Array,
  given: MappingGiven,
  remembered: readonly Mapping[],
  { currency, zone }: Books,
): Statement {
  const { text, encoding } = decodeStatement(bytes);
  const { header, named, known } = findColumns(text, given, remembered);
  const rows = rowsBelow(text, header, named);
  const writtenIn = given.dateOrder ?? known?.dateOrder ?? "DMY";
  refuseShifted(rows, named, (cell) => dayIn(cell, writtenIn, zone));
  const { dated = [], undated = [] } = Object.groupBy(rows, (row) => (isDated(row) ? "dated" : "undated"));
  if (dated.length === 0)
    throw usageError(
      "The statement has a header, and no line below it with a date and an amount. Export it again.",
    );
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
    undatedLines: undated.slice(0, NAMED).map(({ line }) => line),
    ...readRows(dated, mapping, zone),
  };
}

/** `Amount (USD)`, `amount_usd`. */
const CURRENCY_OF_COLUMN = /\(([a-z]{3}|\p{Sc})\)$|[ _.](ngn|usd|eur|gbp)$/iu;

const CURRENCY_COLUMN = /^((account|transaction|trans|txn) )?(currency|curr|ccy)( code)?$/i;

/** What names another currency is no settlement of these books, whatever its number is. */
function refuseAnother(
  currency: string,
  { columns, amount, debit }: Pick<Mapping, "columns" | "amount" | "debit">,
  rows: readonly Row[],
  amounts: readonly At[],
): void {
  const isOurs = namesOf(currency);
  const isWrong = (name: string) => {
    const [, inBrackets, after = inBrackets] = CURRENCY_OF_COLUMN.exec(name) ?? [];
    return after !== undefined && !isOurs(after.toUpperCase());
  };
  const currencyAt = columns.findIndex((name) => CURRENCY_COLUMN.test(name));
  refuse(
    [
      ...[amount, debit ?? ""].filter(isWrong).map((name) => `"${name}" is not in ${currency}`),
      ...rows
        .map(({ line, cells, ...row }) => ({ line, cell: row.date === "" ? "" : (cells[currencyAt] ?? "") }))
        .filter(({ cell }) => cell !== "" && !isOurs(cell.toUpperCase()))
        .map(({ line, cell }) => `line ${line}: "${cell}" is not ${currency}`),
      ...amounts
        .filter(({ cell }) => currenciesIn(cell).some((found) => !isOurs(found)))
        .map(({ line, cell }) => `line ${line}: "${cell}" is not in ${currency}`),
    ],
    `Export the account of that currency, or set CURRENCY. If it means ${currency}, write ${currency} there.`,
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

function readRows(
  rows: readonly Row[],
  mapping: Mapping,
  zone: string,
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
  // Some banks write what went out with a sign, although it has a column of its own.
  const isSigned = rows.every(({ debit }) => /^$|^[-(]/.test(debit) || isZero(amountIn(debit, decimal)));
  for (const { line, cells, date, amount: cell, debit } of rows) {
    const [day, read] = [dayIn(date, dateOrder, zone), amountIn(cell, decimal)];
    const out = amountIn(debit, decimal);
    const went = isSigned && out !== undefined ? out.replace("-", "") : out;
    const hasGone = WENT.test(cells[sideAt] ?? "");
    const came = hasGone && read !== undefined && !read.startsWith("-") ? negated(read) : read;
    if (day === null)
      wrong.push(`line ${line}: "${date}" is no date${needsOrder(date) ? ` (${dateOrder})` : ""}`);
    if (cell !== "" && came === undefined) wrong.push(`line ${line}: "${cell}" is no amount${withDecimal}`);
    if (debit !== "" && went === undefined) wrong.push(`line ${line}: "${debit}" is no amount${withDecimal}`);
    if (!isZero(came) && !isZero(went)) wrong.push(`line ${line} has both ${cell} and ${debit}`);
    if (day === null || wrong.length > 0) continue;
    days.push(day);
    const texts = textAt.map((index) => cells[index] ?? "");
    const amount = came ?? "0.00";
    const isIn = compareMoney(amount, "0") > 0;
    const moved = isIn ? amount : sumOfMoney([amount, went === undefined ? "0.00" : negated(went)]);
    const counts = isIn || (!isZero(moved) && takesBack(texts));
    if (!counts || (only !== null && !texts.some((one) => one.toLowerCase().includes(only.toLowerCase())))) {
      others.push(moved);
      continue;
    }
    const same = JSON.stringify(cells);
    lines.push({ line, day, amount: moved, texts, duplicateOf: seen.get(same) ?? null });
    if (!seen.has(same)) seen.set(same, line);
  }
  refuse(
    wrong,
    "Say --decimal or --date-order if the file has another. Otherwise export it again, with dates such as 2026-10-31 " +
      "and amounts such as 1500.00, or take out lines that are none of the account's, such as totals.",
  );
  days.sort();
  const [from = "", to = ""] = [days[0], days.at(-1)];
  return { lines, from, to, others: { count: others.length, amount: sumOfMoney(others) } };
}

const isZero = (amount = "0.00"): boolean => compareMoney(amount, "0") === 0;

const negated = (amount: Money): Money => (amount.startsWith("-") ? amount.slice(1) : `-${amount}`);

const decimalOf = (cells: readonly At[]): Decimal | null =>
  agreed(cells, decimalShownBy, ["amounts with the decimal", "--decimal"], needsDecimal);

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
