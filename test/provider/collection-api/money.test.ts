import Big from "big.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../../src/provider/collection-api/contract/exact-json.ts";
import {
  compareMoney,
  differenceOfMoney,
  moneyOf,
  moneyOnWire,
  sumOfMoney,
} from "../../../src/provider/collection-api/contract/money.ts";

/** An amount in hundredths as people write it: an oracle that shares no code with ours. */
const spelled = (hundredths: bigint) => {
  const digits = (hundredths < 0n ? -hundredths : hundredths).toString().padStart(3, "0");
  return `${hundredths < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};
const hundredths = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });

describe("money", () => {
  it("comes out of JSON and goes back with every digit, however large", () => {
    fc.assert(
      fc.property(hundredths, (amount) => {
        const json = `{"amount":${spelled(amount)}}`;
        const read = parseExactJson(json) as { amount: unknown };
        expect(moneyOf(read.amount)).toBe(spelled(amount));
        expect(JSON.stringify({ amount: moneyOnWire(spelled(amount)) })).toBe(json);
      }),
    );
  });

  it("is written the same however it is spelled", () => {
    const whole = fc.stringMatching(/^[+-]?\d{1,37}$/);
    const fraction = fc.oneof(fc.constant(""), fc.stringMatching(/^\.\d{1,6}$/));
    const exponent = fc.constantFrom("", "", "e0", "E+3", "e-2");
    fc.assert(
      fc.property(whole, fraction, exponent, (before, after, power) => {
        const amount = new Big(`${before.replace("+", "")}${after}${power}`);
        const places = Math.max(2, (amount.toFixed().split(".")[1] ?? "").length);
        const money = moneyOf(` ${before}${after}${power}`);
        expect(money).toBe(amount.toFixed(places));
        expect(moneyOf(money)).toBe(money);
      }),
    );
  });

  it("adds, subtracts and compares exactly", () => {
    fc.assert(
      fc.property(hundredths, hundredths, (a, b) => {
        expect(sumOfMoney([spelled(a), spelled(b)])).toBe(spelled(a + b));
        expect(differenceOfMoney(spelled(a), spelled(b))).toBe(spelled(a - b));
        expect(Math.sign(compareMoney(spelled(a), spelled(b)))).toBe(a === b ? 0 : a < b ? -1 : 1);
      }),
    );
  });

  it("is nothing else", () => {
    const texts = ["", " ", "NaN", "1,500.00", "0x10", "1e999999999", "1e41", "1e-41", "12abc", "1.", ".5"];
    const others = [NaN, Infinity, null, undefined, true, {}, ["1.00"], { rawJSON: "1.00" }];
    const read = [...texts, "9".repeat(1_000_000), ...others].filter((one) => moneyOf(one) !== undefined);
    expect(read).toEqual([]);
  });
});
