import { describe, expect, it } from "vitest";
import { readSettings } from "../../../src/kit/settings.ts";
import { CallbackBudgets } from "../../../src/receive/caller/callback-budgets.ts";

const HOUR = 3_600_000;
const small = () => new CallbackBudgets({ bytes: 1_000, callbacks: 10, ids: 20 });
const cost = (changes = {}) => ({ bytes: 10, callbacks: 1, ids: 1, ...changes });

/** The budgets as they are when nobody sets them. */
function standard(): CallbackBudgets {
  const settings = readSettings({});
  return new CallbackBudgets({
    bytes: settings.CALLBACK_MEBIBYTES_PER_HOUR * 1024 ** 2,
    callbacks: settings.CALLBACKS_PER_HOUR,
    ids: settings.CALLBACK_IDS_PER_HOUR,
  });
}

describe("the budgets of a token and an address (G12)", () => {
  it("are spent by bytes, callbacks and ids, each by itself", () => {
    const from = { token: "default#1", address: "203.0.113.1" };
    expect(small().take(from, cost({ bytes: 1_001 }), 0)).toBe("address_bytes");
    expect(small().take(from, cost({ ids: 21 }), 0)).toBe("address_ids");
    const budgets = small();
    for (let n = 0; n < 10; n += 1) expect(budgets.take(from, cost(), 0)).toBeNull();
    expect(budgets.take(from, cost(), 0)).toBe("address_callbacks");
  });

  it("empty evenly over the hour", () => {
    const budgets = small();
    const from = { token: "default#1", address: "203.0.113.1" };
    for (let n = 0; n < 10; n += 1) budgets.take(from, cost(), 0);
    expect(budgets.take(from, cost(), 0.09 * HOUR)).not.toBeNull();
    expect(budgets.take(from, cost(), 0.1 * HOUR)).toBeNull();
    expect(budgets.take(from, cost(), 0.1 * HOUR)).not.toBeNull();
    expect(budgets.take(from, cost(), HOUR / 2)).toBeNull();
  });

  it("of one address that floods leave the token's to the others", () => {
    const budgets = small();
    const flooder = { token: "default#1", address: "203.0.113.1" };
    for (let n = 0; n < 10_000; n += 1) budgets.take(flooder, cost(), 0);
    expect(budgets.take({ ...flooder, address: "203.0.113.2" }, cost(), 0)).toBeNull();
    // Written another way it is the same address, and an IPv6 subscriber has a /64.
    expect(budgets.take({ ...flooder, address: "::ffff:203.0.113.1" }, cost(), 0)).not.toBeNull();
    const six = (address: string) => budgets.take({ token: "default#1", address }, cost({ bytes: 900 }), 0);
    expect([six("2001:db8::1"), six("2001:db8::2")]).toEqual([null, "address_bytes"]);
  });

  it("of one token stop a flood from everywhere, and other tokens are none the poorer", () => {
    const budgets = small();
    const from = (n: number, token = "default#1") =>
      budgets.take({ token, address: `198.51.100.${n % 250}` }, cost(), 0);
    const answers = Array.from({ length: 100 }, (_, n) => from(n));
    expect(answers.filter((over) => over === null)).toHaveLength(40);
    expect(answers.at(-1)).toBe("token_callbacks");
    expect(from(0, "default#2")).toBeNull();
  });

  it("are not forgotten because of ever new addresses", () => {
    const budgets = small();
    const from = (n: number) =>
      budgets.take({ token: "default#1", address: `2001:db8:${n.toString(16)}::1` }, cost(), 0);
    for (let n = 0; n < 12_000; n += 1) from(n);
    expect(from(60_000)).toBe("token_callbacks");
  });

  it("by default are never met by a month's honest callbacks, all in one rush from one address", () => {
    const budgets = standard();
    const provider = { token: "default#1", address: "203.0.113.1" };
    // A hundred thousand payments, some of them told twice, within five minutes, ten at a time.
    const ten = { bytes: 15_000, callbacks: 10, ids: 10 };
    const answers = Array.from({ length: 12_000 }, (_, n) => budgets.take(provider, ten, n * 25));
    expect(answers.every((over) => over === null)).toBe(true);
  });
});
