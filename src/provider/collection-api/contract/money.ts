import Big from "big.js";
import { z } from "zod";
import { isRawJson, type RawJson, rawJsonNumber } from "./exact-json.ts";

/** A decimal string with at least two decimals, such as `40400.10`; never a float. */
export type Money = string;

/** The most that a request may ask for; sums still fit in Postgres and in JavaScript's own strings. */
const MOST: Money = "9999999999999999.99";

// Bounds the exponent too: 1e999999999 would otherwise be written out as a billion digits.
const READABLE = /^[+-]?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,2})?$/;

/** The form of most amounts; the group holds the decimals, at most two. */
const PLAIN = /^(?:0|[1-9]\d{0,39})(?:\.(\d\d?))?$/;

/** A number, a {@link RawJson}, or text, as a decimal string. @returns undefined when it is no amount. */
export function moneyOf(value: unknown): Money | undefined {
  const digits = isRawJson(value) ? value.rawJSON : typeof value === "number" ? String(value) : value;
  if (typeof digits !== "string") return undefined;
  const text = digits.trim();
  const plain = PLAIN.exec(text);
  if (plain !== null) return plain[1] === undefined ? `${text}.00` : text + "0".repeat(2 - plain[1].length);
  if (!READABLE.test(text)) return undefined;
  // Big refuses a leading plus.
  const amount = written(new Big(text.replace(/^\+/, "")));
  // Of 1e99 and 1e-99 too many digits are written out to be read again.
  return READABLE.test(amount) ? amount : undefined;
}

function written(amount: Big): Money {
  const shortest = amount.toFixed();
  return decimals(shortest) >= 2 ? shortest : amount.toFixed(2);
}

const decimals = (text: string) => (text.includes(".") ? text.length - text.indexOf(".") - 1 : 0);

/** The exact sum, `0.00` without amounts. */
export function sumOfMoney(amounts: readonly Money[]): Money {
  return written(amounts.reduce((sum, amount) => sum.plus(amount), new Big(0)));
}

/** The exact `a - b`. */
export function differenceOfMoney(a: Money, b: Money): Money {
  return written(new Big(a).minus(b));
}

/** Below 0 when `a` is less than `b`, 0 when they are the same amount, above 0 otherwise. */
export function compareMoney(a: Money, b: Money): number {
  return new Big(a).cmp(b);
}

/** The JSON number that carries `amount` on the wire, every digit kept by `JSON.stringify`. */
export function moneyOnWire(amount: Money): RawJson {
  const digits = moneyOf(amount);
  if (digits === undefined) throw new TypeError("An amount should be a decimal string such as 1500.50");
  return rawJsonNumber(digits);
}

const inJson = { type: "number", examples: [1500.5] } as const;

const isMissing = (value: unknown) => value === undefined || value === null || value === "";

function notMoney(context: z.RefinementCtx, value: unknown): never {
  context.addIssue(isMissing(value) ? "is missing" : "should be an amount");
  return z.NEVER;
}

/** Tolerant: a number or text becomes a decimal string; what is left out or no amount becomes null. */
export const moneyRead = z.transform((value: unknown): Money | null => moneyOf(value) ?? null);

/** Tolerant in form, but it has to be there. */
export const moneyRequiredRead = z.transform(
  (value: unknown, context): Money => moneyOf(value) ?? notMoney(context, value),
);

const LIMITS: readonly [isPassed: (money: Money) => boolean, problem: string][] = [
  [(money) => compareMoney(money, "0") <= 0, "should be more than 0"],
  [(money) => compareMoney(money, MOST) > 0, `should be at most ${MOST}`],
  [(money) => decimals(money) > 2, "should have at most two decimals"],
];

/** Strict, for requests: above 0, at most two decimals, at most 9999999999999999.99. */
export const moneyGiven = z
  .custom<Money | number | RawJson>((value) => value !== undefined && value !== null, "is missing")
  .transform((value, context): Money => {
    const money = moneyOf(value);
    const passed = money === undefined ? undefined : LIMITS.find(([isPassed]) => isPassed(money));
    if (money !== undefined && passed === undefined) return money;
    context.addIssue(passed?.[1] ?? "should be an amount such as 1500.50");
    return z.NEVER;
  })
  .meta({ ...inJson, minimum: 0.01, exclusiveMaximum: Number(MOST) });

/** Strict, for answers: a decimal string with at most two decimals goes out as a JSON number. */
export const moneyWritten = z
  .custom<Money>(
    (value) => typeof value === "string" && decimals(moneyOf(value) ?? "0.000") <= 2,
    "should be a decimal string with at most two decimals",
  )
  .transform(moneyOnWire)
  .meta({ ...inJson });
