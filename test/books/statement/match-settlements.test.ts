import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MatchOptions, matchSettlements } from "../../../src/books/statement/match-settlements.ts";
import type { SettleableSum } from "../../../src/books/statement/matching.ts";
import type { StatementLine } from "../../../src/books/statement/read-statement.ts";
import { sumOfMoney } from "../../../src/provider/provider.ts";

const ID = "0f3a1c6a-1b1e-4c55-9d0a-6f2f6a2b8c11";
const OCTOBER: MatchOptions = { days: null, from: "2026-10-01", to: "2026-10-31" };

const line = (number: number, day: string, amount: string, text = "Settlement"): StatementLine => ({
  line: number,
  day: `2026-10-${day}`,
  amount,
  texts: [text],
  duplicateOf: null,
});
const daily = (day: string, amount: string, collection = "Fees"): SettleableSum => ({
  collection,
  frequency: "Daily",
  day: day.length === 2 ? `2026-10-${day}` : day,
  amount,
  payments: 3,
  invoiceId: null,
  reference: null,
});
const instant = (day: string, amount: string, named: Partial<SettleableSum> = {}): SettleableSum => ({
  ...daily(day, amount, "Dues"),
  frequency: "Instant",
  payments: 1,
  invoiceId: crypto.randomUUID(),
  ...named,
});
const shown = (lines: StatementLine[], sums: SettleableSum[], options: Partial<MatchOptions> = {}) =>
  matchSettlements(lines, sums, { ...OCTOBER, ...options }).map(({ state, lines, sums, difference }) => [
    state,
    lines.map(({ line }) => line),
    sums.map(({ day }) => day.slice(5)),
    difference,
  ]);

describe("settlements are matched with settleable sums", () => {
  it("by amount and days: a day's sum within five, an instant payment by the next day", () => {
    const lines = [line(2, "02", "3000.00"), line(3, "12", "20.00"), line(4, "03", "5.5")];
    expect(shown(lines, [daily("01", "3000.00"), daily("05", "20.00"), instant("02", "5.50")])).toEqual([
      ["matched", [2], ["10-01"], "0.00"],
      ["matched", [4], ["10-02"], "0.00"],
      ["bank_only", [3], [], "20.00"],
      ["books_only", [], ["10-05"], "-20.00"],
    ]);
    expect(shown(lines.slice(1, 2), [daily("05", "20.00")], { days: 7 })[0]?.[0]).toBe("matched");
  });

  it("by reference: the invoice's id, the merchant's own, several in one line", () => {
    const sums = [
      instant("01", "10.00", { invoiceId: ID }),
      instant("01", "10.00", { reference: "INV/2026/77" }),
      instant("02", "10.00", { reference: "A-100200" }),
      instant("02", "7.00", { reference: "A-100201" }),
    ];
    const lines = [
      line(2, "02", "10.00", `TRF ${ID.replaceAll("-", "").toUpperCase()} FROM X`),
      line(3, "02", "10.00", "inv/2026/77"),
      line(4, "03", "17.00", "A-100200, A-100201"),
    ];
    expect(shown(lines, sums)).toEqual([
      ["matched", [2], ["10-01"], "0.00"],
      ["matched", [3], ["10-01"], "0.00"],
      ["matched", [4], ["10-02", "10-02"], "0.00"],
    ]);
  });

  it("names a line whose reference is right and whose amount is not, with the difference", () => {
    expect(shown([line(2, "02", "9.95", ID)], [instant("01", "10.00", { invoiceId: ID })])).toEqual([
      ["amount_differs", [2], ["10-01"], "-0.05"],
    ]);
  });

  it("by reference in several lines, where they come to the payment exactly", () => {
    const halves = [line(2, "02", "4.00", ID), line(3, "03", "6.00", ID)];
    expect(shown(halves, [instant("01", "10.00", { invoiceId: ID })])).toEqual([
      ["matched", [2, 3], ["10-01"], "0.00"],
    ]);
  });

  it("shows two candidates as two, on either side, and chooses none", () => {
    expect(shown([line(2, "02", "10.00")], [daily("01", "10.00"), daily("01", "10.00", "Dues")])).toEqual([
      ["ambiguous", [2], ["10-01", "10-01"], "-10.00"],
    ]);
    expect(shown([line(2, "02", "10.00"), line(3, "03", "10.00")], [daily("01", "10.00")])).toEqual([
      ["ambiguous", [2, 3], ["10-01"], "10.00"],
    ]);
    expect(
      shown(
        [line(2, "02", "1.00", ID), line(3, "02", "1.00", ID)],
        [instant("01", "1.00", { invoiceId: ID })],
      ),
    ).toEqual([["ambiguous", [2, 3], ["10-01"], "1.00"]]);
    // The second names both payments, the first and the third one of them each.
    const sums = ["A-100200", "A-100201"].map((reference) => instant("01", "10.00", { reference }));
    const naming = ["A-100200", "A-100200, A-100201", "A-100201"].map((text, at) =>
      line(at + 2, "02", "7.00", text),
    );
    expect(shown(naming, sums)).toEqual([["ambiguous", [2, 3, 4], ["10-01", "10-01"], "1.00"]]);
  });

  it("says of as many lines as sums that they are equal together, not which is which", () => {
    expect(
      shown([line(2, "02", "10.00"), line(3, "03", "10.00")], [daily("01", "10.00"), daily("02", "10.00")]),
    ).toEqual([["together", [2, 3], ["10-01", "10-02"], "0.00"]]);
    // The second sum was paid after both lines.
    expect(
      shown([line(2, "02", "10.00"), line(3, "02", "10.00")], [daily("01", "10.00"), daily("03", "10.00")]),
    ).toEqual([
      ["ambiguous", [2, 3], ["10-01"], "10.00"],
      ["books_only", [], ["10-03"], "-10.00"],
    ]);
  });

  it("lets a line that names its collection be no other's", () => {
    const sums = [daily("01", "10.00"), daily("01", "10.00", "Dues")];
    expect(shown([line(2, "02", "10.00", "Settlement DUES")], sums)).toEqual([
      ["matched", [2], ["10-01"], "0.00"],
      ["books_only", [], ["10-01"], "-10.00"],
    ]);
  });

  it.each(["", "-", "Set", "e"])("takes no part of a word for a collection: %j", (name) => {
    expect(shown([line(2, "02", "10.00")], [daily("01", "10.00"), daily("01", "7.00", name)])[0]).toEqual([
      "matched",
      [2],
      ["10-01"],
      "0.00",
    ]);
  });

  it("asks for no line of what comes to nothing", () => {
    const sums = [daily("02", "5.00"), daily("03", "0.00"), daily("04", "4.00"), daily("05", "0.00")];
    expect(shown([line(2, "06", "9.00")], sums)).toEqual([
      ["matched", [], ["10-03"], "0.00"],
      ["matched", [], ["10-05"], "0.00"],
      ["matched", [2], ["10-02", "10-04"], "0.00"],
    ]);
  });

  it("finds days that were settled in one sum, unless there is more than one way", () => {
    const weekend = [daily("02", "10.00"), daily("03", "4.00"), daily("04", "6.50")];
    expect(shown([line(2, "05", "20.50")], weekend)).toEqual([
      ["matched", [2], ["10-02", "10-03", "10-04"], "0.00"],
    ]);
    const same = [daily("02", "5.00"), daily("03", "4.00"), daily("04", "5.00")];
    expect(shown([line(2, "05", "9.00")], same)).toEqual([
      ["ambiguous", [2], ["10-02", "10-03", "10-04"], "-5.00"],
    ]);
  });

  it("tells what is still under way from what should be there, and leaves out what an earlier statement had", () => {
    expect(
      shown(
        [line(2, "01", "7.00")],
        [daily("2026-09-30", "7.00"), daily("2026-09-29", "8.00"), daily("30", "9.00")],
      ),
    ).toEqual([
      ["matched", [2], ["09-30"], "0.00"],
      ["in_transit", [], ["10-30"], "-9.00"],
    ]);
  });

  it("names a line that stands twice, unless both are settlements", () => {
    const twice = [line(2, "02", "10.00"), { ...line(3, "02", "10.00"), duplicateOf: 2 }];
    expect(shown(twice, [daily("01", "10.00")])).toEqual([
      ["matched", [2], ["10-01"], "0.00"],
      ["duplicate", [3], [], "10.00"],
    ]);
    expect(shown(twice, [daily("01", "10.00"), daily("02", "10.00")], { keepDuplicates: true })[0]?.[0]).toBe(
      "together",
    );
  });

  it("what the bank took back settles nothing: with the line that it means, or by name", () => {
    const [came, twice] = [line(2, "02", "10.00", "NIP A-100200"), line(3, "02", "10.00", "NIP A-100201")];
    const back = line(4, "03", "-10.00", "Reversal: NIP A-100200");
    const sums = [
      instant("01", "10.00", { reference: "A-100200" }),
      instant("01", "10.00", { reference: "A-100201" }),
    ];
    expect(shown([came, twice, back], sums)).toEqual([
      ["matched", [2, 4], [], "0.00"],
      ["matched", [3], ["10-01"], "0.00"],
      ["books_only", [], ["10-01"], "-10.00"],
    ]);
    expect(
      shown([came, twice, { ...back, texts: ["RVSL"] }], sums).map(([state, lines]) => [state, lines]),
    ).toEqual([
      ["ambiguous", [2, 3, 4]],
      ["books_only", []],
      ["books_only", []],
    ]);
    // The second of two that are the same, and what came before the statement.
    const same = [came, { ...came, line: 3, duplicateOf: 2 }];
    expect(shown([...same, back, { ...back, line: 5, amount: "-7.00" }], sums.slice(0, 1))).toEqual([
      ["matched", [2], ["10-01"], "0.00"],
      ["matched", [3, 4], [], "0.00"],
      ["bank_only", [5], [], "-7.00"],
    ]);
  });

  it("gives the same in any order, has each line and each sum once, and adds up to the cent", () => {
    const dayOf = fc.integer({ min: 1, max: 31 }).map((day) => String(day).padStart(2, "0"));
    const amount = fc.constantFrom("10.00", "10.01", "20.00", "30.01", "-10.00");
    const lineOf = fc.tuple(dayOf, amount, fc.constantFrom("", "Fees", "Dues"));
    const sumOf = fc.tuple(
      dayOf,
      fc.constantFrom("10.00", "10.01", "20.00", "30.01"),
      fc.boolean(),
      fc.constantFrom("Fees", "Dues"),
    );
    // A collection has one sum a day.
    const sumsOf = fc.uniqueArray(sumOf, {
      maxLength: 25,
      selector: ([day, _, isInstant, collection]) => (isInstant ? Symbol() : `${day} ${collection}`),
    });
    fc.assert(
      fc.property(fc.array(lineOf, { maxLength: 25 }), sumsOf, (some, others) => {
        const lines = some.map(([day, amount, text], index) => line(index + 2, day, amount, text));
        const sums = others.map(([day, amount, isInstant, collection], index) =>
          isInstant
            ? instant(day, amount, {
                collection,
                invoiceId: ID.slice(0, -3) + String(index).padStart(3, "0"),
              })
            : daily(day, amount, collection),
        );
        const matches = matchSettlements(lines, sums, OCTOBER);
        expect(matchSettlements(lines.toReversed(), sums.toReversed(), OCTOBER)).toEqual(matches);
        expect(matches.flatMap(({ lines }) => lines).length).toBe(lines.length);
        expect(new Set(matches.flatMap(({ sums }) => sums)).size).toBe(sums.length);
        const total = (all: readonly { amount: string }[]) => sumOfMoney(all.map(({ amount }) => amount));
        expect(sumOfMoney(matches.map(({ difference }) => difference))).toBe(
          sumOfMoney([total(lines), ...sums.map(({ amount }) => `-${amount}`)]),
        );
        for (const { state, difference } of matches)
          if (state === "matched" || state === "together") expect(difference).toBe("0.00");
      }),
      { numRuns: 200 },
    );
  });
});
