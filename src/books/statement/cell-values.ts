import { dayThatExists, monthNamed } from "../../kit/time.ts";
import { type Money, moneyOf } from "../../provider/provider.ts";

/** What separates the decimals of amounts. */
export const DECIMALS = [".", ","] as const;
export type Decimal = (typeof DECIMALS)[number];

/** In which order a date such as 01/10/2026 names its day and month. */
export const DATE_ORDERS = ["DMY", "MDY"] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

const CURRENCY = String.raw`(\p{Sc}|N|(?!CRE|DEB)[A-Z]{3})?`;
const AMOUNT = new RegExp(
  String.raw`^${CURRENCY}([-+(]?)${CURRENCY}([\d.,]+)${CURRENCY}([-)]?)(CR|DR|CREDIT|DEBIT)?${CURRENCY}$`,
  "u",
);

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
  return (text) =>
    text === currency ||
    text === sign ||
    text === `${currency.slice(0, 2)}${sign}` ||
    (/^\p{Sc}$/u.test(text) && sign.endsWith(text)) ||
    (text === "N" && currency === "NGN") ||
    text.split(/\s+/).every((word) => words.includes(plain(word)));
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

const NUMBERS = /^(\d{1,2})[/.\- ](\d{1,2})[/.\- ](\d{4})(?:[T ,].*)?$/;

/** Which order the date itself shows; null when it might be either, or needs none. */
export function orderShownBy(cell: string): DateOrder | null {
  const [, one, other] = NUMBERS.exec(cell) ?? [];
  if (Number(one) > 12) return "DMY";
  return Number(other) > 12 ? "MDY" : null;
}

/** Whether the date can only be read by knowing the order. */
export const needsOrder = (cell: string): boolean => {
  const [, one, other] = NUMBERS.exec(cell) ?? [];
  return one !== undefined && one !== other;
};

/** @returns YYYY-MM-DD; null when it is no date. */
export function dayIn(cell: string, order: DateOrder | null): string | null {
  const iso = /^(\d{4})(?:[-/.](\d\d?)[-/.](\d\d?)|(\d\d)(\d\d))(?:[T ,].*)?$/.exec(cell);
  if (iso !== null) return dayThatExists(iso[1], iso[2] ?? iso[4], iso[3] ?? iso[5]);
  const named = /^(\d{1,2})[-/. ]?([a-z]{3,9})[-/., ]*(?:20)?(\d\d)(?:[T ,].*)?$/i.exec(cell);
  if (named !== null) return dayThatExists(`20${named[3]}`, String(monthNamed(named[2] ?? "")), named[1]);
  const [, one, other, year] = NUMBERS.exec(cell) ?? [];
  return order === "MDY" ? dayThatExists(year, one, other) : dayThatExists(year, other, one);
}
