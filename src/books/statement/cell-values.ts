import { bookDayOf } from "../../kit/book-days.ts";
import { addDays, dayThatExists, monthNamed } from "../../kit/time.ts";
import { type Money, moneyOf } from "../../provider/provider.ts";

/** What separates the decimals of amounts. */
export const DECIMALS = [".", ","] as const;
export type Decimal = (typeof DECIMALS)[number];

/** In which order a date such as 01/10/2026 names its day and month. */
export const DATE_ORDERS = ["DMY", "MDY"] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

const CURRENCY = String.raw`(\p{Sc}|[A-Z]{1,2}\p{Sc}|N|R|RS\.?|(?!CRE|DEB)[A-Z]{3})?`;
const AMOUNT = new RegExp(
  String.raw`^${CURRENCY}([-+(]?)${CURRENCY}([\d.,]+)${CURRENCY}([-)]?)(?:(CR|DR|CREDIT|DEBIT)\.?)?${CURRENCY}$`,
  "u",
);

/** What a currency is called besides, as banks write it before amounts. */
const ALSO: Readonly<Record<string, string>> = { INR: "RS", KES: "KSH", NGN: "N" };

/**
 * A currency before or after, a sign or brackets, CR or DR, and spaces and apostrophes between thousands are left out.
 * With two signs, half a pair of brackets, or a sign that CR or DR contradicts it is no amount.
 */
function bare(cell: string): { digits: string; negative: boolean; currencies: string[] } {
  const text = cell
    .toUpperCase()
    .replaceAll(/(?<=(?<!\d)\d{1,3})[\s'’](?=\d{3}(?!\d))|(?<!\d)[\s'’]+|[\s'’]+(?!\d)/g, "");
  const [, first, before = "", second, digits = "", third, after = "", side, last] = AMOUNT.exec(text) ?? [];
  const sign = before + after;
  const isNegative = sign === "-" || sign === "()";
  const isOne = isNegative || sign === "" || sign === "+";
  const isMeant = side === undefined || sign === "" || isNegative === side.startsWith("D");
  return {
    digits: isOne && isMeant ? digits : "",
    negative: isNegative || (side ?? "").startsWith("D"),
    currencies: [first, second, third, last].filter((found) => found !== undefined),
  };
}

/** How amounts and columns may name a currency, in capitals. */
export function namesOf(currency: string): (text: string) => boolean {
  const named = (currencyDisplay: "narrowSymbol" | "name") =>
    new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay })
      .formatToParts(1)
      .find(({ type }) => type === "currency")
      ?.value.toUpperCase() ?? "";
  const sign = named("narrowSymbol");
  const plain = (word: string) => word.replace(/S$/, "");
  const words = named("name").split(" ").map(plain);
  const isOurs = (text: string): boolean =>
    text === currency ||
    text === sign ||
    text === `${currency.slice(0, 2)}${sign}` ||
    (/^\p{Sc}$/u.test(text) && sign.endsWith(text)) ||
    text === ALSO[currency] ||
    text.split(/\s+/).every((word) => words.includes(plain(word)));
  return (text) => isOurs(text.replace(/\.$/, ""));
}

/** The currencies that an amount names. */
export const currenciesIn = (cell: string): string[] => bare(cell).currencies;

/** Thousands are separated in threes, or as in India; what is not may be an amount with the other separator. */
const FORM: Readonly<Record<Decimal, RegExp>> = {
  ".": /^(\d{1,3}(,\d{2,3})*,\d{3}|\d+)(\.\d*)?$/,
  ",": /^(\d{1,3}(\.\d{2,3})*\.\d{3}|\d+)(,\d*)?$/,
};

/** @returns undefined when it is no amount with that decimal separator. */
export function amountIn(cell: string, decimal: Decimal | null): Money | undefined {
  const { digits, negative } = bare(cell);
  if (!FORM[decimal ?? "."].test(digits)) return undefined;
  const plain = digits
    .replaceAll(decimal === "," ? "." : ",", "")
    .replace(",", ".")
    .replace(/\.$/, "");
  const amount = moneyOf(plain);
  return amount === undefined || !negative ? amount : moneyOf(`-${plain}`);
}

/** As thousands are, which no currency but a few counts in. */
export const hasThreeDecimals = (cell: string, decimal: Decimal): boolean =>
  new RegExp(`\\${decimal}\\d{3}$`).test(bare(cell).digits);

/** Whether the amount can only be read by knowing what separates its decimals. */
export const needsDecimal = (cell: string): boolean => /[.,]/.test(bare(cell).digits);

export function decimalShownBy(cell: string): Decimal | null {
  const { digits } = bare(cell);
  const marks = digits.replaceAll(/\d/g, "");
  if (marks === "") return null;
  const last = marks.at(-1) as Decimal;
  const other: Decimal = last === "." ? "," : ".";
  if (marks.includes(other)) return last;
  // Twice the same: thousands.
  if (marks.length > 1) return other;
  return /^\d{1,3}[.,]\d{3}$/.test(digits) ? null : last;
}

/** A year of two digits is one of 2020 to 2099: then few dates that begin with it are read as if they ended with it. */
const NUMBERS = /^(\d{1,2})[/.\- ](\d{1,2})[/.\- ](\d{4}|[2-9]\d)(?:[T ,].*)?$/;

/** Which order the date itself shows; null when it might be either, or needs none. */
export function orderShownBy(cell: string): DateOrder | null {
  const [, one, other, year] = NUMBERS.exec(cell) ?? [];
  // 26/10/25 may begin with its year.
  if (Number(one) > 19 && Number(year) < 32) return null;
  if (Number(one) > 12) return "DMY";
  return Number(other) > 12 ? "MDY" : null;
}

/** Whether the date can only be read by knowing the order. */
export const needsOrder = (cell: string): boolean => {
  const [, one, other] = NUMBERS.exec(cell) ?? [];
  return one !== undefined && one !== other;
};

/** A day that a spreadsheet counts, of 2020 to 2036: others could be digits such as 11026 for 01-10-26. */
export const isSerial = (cell: string): boolean => /^4(3[89]|[4-9]\d)\d\d([.,]\d+)?$/.test(cell);

const MOMENT = /[T ,](\d\d):?(\d\d)(?::?\d\d)?(?:[.,]\d+)?\s*(?:Z|UTC|GMT|([+-]\d\d):?(\d\d)?)$/i;

/** @returns YYYY-MM-DD, in the zone where the cell says how far its clock is from UTC; null when it is no date. */
export function dayIn(cell: string, order: DateOrder | null, zone: string): string | null {
  const day = isSerial(cell) ? addDays("1899-12-30", Number.parseInt(cell, 10)) : writtenDay(cell, order);
  const [moment, hour, minute, hours = "+00", minutes = "00"] = MOMENT.exec(cell) ?? [];
  if (day === null || moment === undefined) return day;
  const at = Date.parse(`${day}T${hour}:${minute}${hours}:${minutes}`);
  return Number.isNaN(at) ? null : bookDayOf(at, zone);
}

function writtenDay(cell: string, order: DateOrder | null): string | null {
  const iso = /^(\d{4})(?:[-/.](\d\d?)[-/.](\d\d?)|(\d\d)(\d\d))(?:[T ,].*)?$/.exec(cell);
  if (iso !== null) return dayThatExists(iso[1], iso[2] ?? iso[4], iso[3] ?? iso[5]);
  const named = /^(\d{1,2})[-/. ]?([a-z]{3,9})[-/., ]*(?:20)?([2-9]\d)(?:[T ,].*)?$/i.exec(cell);
  if (named !== null) return dayThatExists(`20${named[3]}`, String(monthNamed(named[2] ?? "")), named[1]);
  const american = /^([a-z]{3,9})\.? (\d{1,2}),? (\d{4})(?:[T ,].*)?$/i.exec(cell);
  if (american !== null)
    return dayThatExists(american[3], String(monthNamed(american[1] ?? "")), american[2]);
  const [, one, other, ending] = NUMBERS.exec(cell) ?? [];
  const year = ending?.padStart(4, "20");
  return order === "MDY" ? dayThatExists(year, one, other) : dayThatExists(year, other, one);
}
