import { describe, expect, it } from "vitest";
import type { DateOrder } from "../../../src/books/statement/cell-values.ts";
import { readStatement } from "../../../src/books/statement/read-statement.ts";

const read = (text: string, currency = "NGN", dateOrder?: DateOrder) =>
  readStatement(Buffer.from(text), { dateOrder }, [], { currency, zone: "Africa/Lagos" });

describe("a cell of a statement is read as it is meant:", () => {
  it.each([
    ...[
      "N1,500.00",
      "₦1,500.00",
      "NGN 1,500.00CR",
      "+1500",
      "1'500.00",
      "1\u00A0500.00",
      "1\u202F500.00",
      "1\u2009500.00",
    ].map((cell) => [cell, "1500.00"]),
    ...[
      "(1,500.00)",
      "-₦1,500.00",
      "1,500.00 DEBIT",
      "1500.00 NGN DR",
      "-1,500.00 DR",
      "(1,500.00) DR",
      "1500.00-DR",
      "1,500.00 Dr.",
      "\u22121,500.00",
    ].map((cell) => [cell, "-1500.00"]),
    ...["1,500.00 Credit", "1,500.00 Cr.", "+1,500.00 CR"].map((cell) => [cell, "1500.00"]),
  ])("the amount %s as %s", (cell, amount) => {
    const { lines, others } = read(`Date,Amount\n2026-10-01,"${cell}"\n2026-10-01,0.00\n`);
    expect([...lines.map((line) => line.amount), others.amount]).toContain(amount);
  });

  it.each([
    ["INR", "Rs. 500", "₹500", "RS500", "INR 500", "-Rs.500", "Rs 500 Dr."],
    ["PKR", "Rs. 500", "Rs500"],
    ["KES", "KSh 500", "KES500"],
    ["USD", "US$500", "$500", "500 USD"],
    ["GHS", "GH₵500", "₵500"],
    ["ZAR", "R 500", "R500"],
  ])("amounts as they are written in %s", (currency, ...cells) => {
    for (const cell of cells) {
      const { lines, others } = read(`Date,Amount\n2026-10-01,${cell}\n`, currency);
      const amount = /^-|dr\.$/i.test(cell) ? "-500.00" : "500.00";
      expect(lines[0]?.amount ?? others.amount, cell).toBe(amount);
      expect(() => read(`Date,Amount\n2026-10-01,${cell}\n`), cell).toThrow(/is not in NGN/);
    }
  });

  it.each([
    ...["1-Feb-26", "01 FEB 2026", "2026-2-1", "2026/02/01", "20260201", "46054", "46054.97"],
    ...["Feb 1, 2026", "February 1, 2026", "1 February 2026", "Feb 1 2026 10:00"],
    // Its day in Lagos.
    ...["2026-01-31T23:30Z", "2026-02-01T22:59:59.9Z", "2026-02-01 23:30:00+0100", "31 Jan 2026 23:30 UTC"],
    ...["20260131T233000Z", "2026-02-01T23:30"],
  ])("the date %s", (cell) => {
    expect(read(`Date,Amount\n"${cell}",5\n`).from).toBe("2026-02-01");
  });

  it.each([
    ["01/02/26", "13/02/26"],
    ["02/01/26", "02/13/26"],
    ["01.02.26", "01.02.26", "DMY"],
  ])("years of two digits, where the file shows the order or it is said: %s", (cell, other, dateOrder?) => {
    const { lines } = read(`Date,Amount\n${cell},5\n${other},5\n`, "NGN", dateOrder as DateOrder);
    expect(lines[0]?.day).toBe("2026-02-01");
  });

  it.each([
    ...["1.00)", "(1.00", "--1.00", "-1.00 CR", "+1.00 DR", "(1.00) CREDIT"],
    ...["5 00", "1.00 OD", "1e3", "١.٠٠", "NGN.50", "N..50"],
  ])("%s is no amount", (cell) => {
    expect(() => read(`Date,Amount\n2026-10-01,${cell}\n`)).toThrow(/line 2: ".+" is no amount/);
  });

  it.each(["11026", "26/10/01", "26-Oct-01", "2026-10-01T25:00Z", "2026-02-30", "0 1, 2026"])(
    "%s is no date",
    (cell) => {
      expect(() => read(`Date,Amount\n"${cell}",1.00\n13/10/26,1.00\n`)).toThrow(
        `line 2: "${cell}" is no date`,
      );
    },
  );

  it("a date that may begin with its year is asked for", () => {
    expect(() => read("Date,Amount\n26/10/25,1.00\n26/10/31,1.00\n")).toThrow(
      /Line 2 has "26\/10\/25".*--date-order/,
    );
  });
});
