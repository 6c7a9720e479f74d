import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Certificate, Difference } from "../../src/reconcile/certificate/certificate.ts";
import {
  csvDifferences,
  csvHead,
  csvHeader,
  csvMore,
} from "../../src/reconcile/certificate/certificate-csv.ts";
import { anyText } from "../support/any-text.ts";
import { rowsOf } from "../support/csv-rows.ts";

const NONE = new Map();
const REFERENCES = new Map([["11111111-1111-4111-8111-111111111111", "INV-7"]]);

const tally = (count: number, amount: string) => ({ count, amount });
const totals = (count: number, amount: string) => ({
  paid: tally(count, amount),
  stored: tally(count, amount),
  published: tally(count - 1, "0.00"),
  missing: tally(1, amount),
  differences: 2,
});

const difference = (changes: Partial<Difference> = {}): Difference => ({
  invoiceId: "11111111-1111-4111-8111-111111111111",
  eventId: null,
  reason: "missing",
  detail: "Nobody ever asked about it",
  weight: "gap",
  day: "2026-10-02",
  amount: "1500.50",
  ...changes,
});

const certificate = (changes: Partial<Certificate> = {}): Certificate => ({
  id: "22222222-2222-4222-8222-222222222222",
  source: "default",
  result: "not_equal",
  refusals: [],
  scope: "source",
  collections: [],
  from: "2026-10-01T00:00:00.000Z",
  to: "2026-11-01T00:00:00.000Z",
  madeAt: "2026-11-02T00:00:00.000Z",
  basis: { zone: "UTC" } as Certificate["basis"],
  days: [{ day: "2026-10-02", ...totals(1, "1500.50") }],
  total: totals(1, "1500.50"),
  test: tally(2, "7.00"),
  foreign: tally(0, "0.00"),
  currency: "NGN",
  gaps: 1,
  differencesInAll: 3,
  differences: [difference()],
  ...changes,
});

const certificateCsv = (
  certificates: readonly Certificate[],
  references: ReadonlyMap<string, string | null>,
) =>
  [
    csvHeader,
    ...certificates.flatMap((one) => [
      csvHead(one),
      csvDifferences(one, one.differences, references),
      csvMore(one),
    ]),
  ].join("");

/** Only the cells that say something. */
const filledRowsOf = (csv: string) =>
  rowsOf(csv).map((row) => Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== "")));

const named = {
  certificate: "22222222-2222-4222-8222-222222222222",
  source: "default",
  result: "not_equal",
  scope: "source",
  currency: "NGN",
  zone: "UTC",
};
const sums = {
  ...{ paid: "1", paid_amount: "1500.50", stored: "1", stored_amount: "1500.50" },
  ...{ published: "0", published_amount: "0.00", missing: "1", missing_amount: "1500.50", differences: "2" },
};

describe("a certificate as CSV", () => {
  it("has a row for each day, the total, Test invoices and each difference, and says what is not named", () => {
    const csv = certificateCsv([certificate()], NONE);
    expect(filledRowsOf(csv)).toEqual([
      { row: "day", ...named, day: "2026-10-02", ...sums },
      { row: "total", ...named, ...sums },
      { row: "test", ...named, paid: "2", paid_amount: "7.00" },
      { row: "foreign", ...named, paid: "0", paid_amount: "0.00" },
      { row: "signature", ...named, detail: expect.stringContaining("UNSIGNED") },
      {
        ...{ row: "gap", ...named, day: "2026-10-02", invoice: "11111111-1111-4111-8111-111111111111" },
        ...{ amount: "1500.50", reason: "missing", detail: "Nobody ever asked about it" },
      },
      { row: "more", ...named, detail: "2 more differences, counted but not named" },
    ]);
    expect(csv).toMatch(/^row,certificate,source,result,day,[^"]*\r\n/);
    expect(csv.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  });

  it("says why one is refused, and holds several under one header", () => {
    const refused = certificate({
      result: "refused",
      refusals: ['The list, "whole", was not.'],
      days: [],
      basis: { provisional: true } as Certificate["basis"],
    });
    const rows = rowsOf(certificateCsv([refused, certificate({ differencesInAll: 1 })], NONE));
    expect(rows.filter(({ row }) => row === "refused")).toMatchObject([
      { result: "refused", detail: 'The list, "whole", was not.' },
    ]);
    expect(rows.filter(({ row }) => row === "provisional")).toMatchObject([
      { detail: expect.stringContaining("less than an hour after the period") },
    ]);
    expect(rows.map(({ row }) => row).join(" ")).toBe(
      "total test foreign provisional refused signature gap more day total test foreign signature gap",
    );
  });

  it.each([
    ['"no" and "no"', '"""no"" and ""no"""'],
    ["  =1", "'  =1"],
    ["-5x", "'-5x"],
    ["-12.34", "-12.34"],
    ["a\nb\u202Ec\u2028d\u2029e", "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe"],
  ])("the cell of %j is %j", (detail, expected) => {
    const csv = csvDifferences(certificate(), [difference({ detail, amount: "-5.00" })], REFERENCES);
    expect(csv).toContain(`,-5.00,missing,${expected},source,,NGN,UTC,INV-7`);
  });

  it("holds whatever strangers write, cell by cell, and none begins a formula", () => {
    const begins = fc.constantFrom("", "=", "+", "-", "@", "＝", " =", "\t=", "\r\n=", '"=', ",=");
    const text = fc.tuple(begins, anyText({ maxLength: 30 })).map((parts) => parts.join(""));
    const strangers = fc.array(text, { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(strangers, (details) => {
        const named = details.map((detail) => difference({ detail }));
        const rows = rowsOf(csvHeader + csvDifferences(certificate(), named, REFERENCES));
        // Nothing ran over into another cell or row.
        expect(rows.map(({ row, scope, reference }) => `${row} ${scope} ${reference}`)).toEqual(
          details.map(() => "gap source INV-7"),
        );
        const cells = rows.map(({ detail = "" }) => detail);
        const formulas = cells.filter((cell) => /^\s*[=+\-@＝]/.test(cell) && !/^-?\d+(\.\d+)?$/.test(cell));
        expect(formulas).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });
});
