import fc from "fast-check";
import { expect, it } from "vitest";
import type { Certificate, Difference } from "../../../src/pipeline/reconcile/certificate/certificate.ts";
import {
  csvDifferences,
  csvHead,
  csvHeader,
  csvMore,
} from "../../../src/pipeline/reconcile/certificate/certificate-csv.ts";
import { anyText } from "../../support/any-text.ts";
import { rowsOf } from "../../support/csv-rows.ts";
import { expectGolden } from "../../support/golden.ts";

const INVOICE = "11111111-1111-4111-8111-111111111111";
const REFERENCES = new Map([[INVOICE, "INV-7"]]);

const tally = (count: number, amount: string) => ({ count, amount });
const one = tally(1, "1500.50");
const totals = { paid: one, stored: one, published: tally(0, "0.00"), missing: one, differences: 2 };

const difference = (changes: Partial<Difference> = {}): Difference => ({
  ...{ invoiceId: INVOICE, eventId: null, reason: "missing", detail: "Nobody ever asked about it" },
  ...{ weight: "gap", day: "2026-10-02", amount: "1500.50" },
  ...changes,
});

const certificate = (changes: Partial<Certificate> = {}): Certificate => ({
  ...{ id: "22222222-2222-4222-8222-222222222222", source: "default", result: "not_equal", refusals: [] },
  ...{ scope: "source", collections: [], from: "2026-10-01T00:00:00Z", to: "2026-11-01T00:00:00Z" },
  ...{ madeAt: "2026-11-02T00:00:00Z", basis: { zone: "UTC" } as Certificate["basis"] },
  ...{ days: [{ day: "2026-10-02", ...totals }], total: totals, test: tally(2, "7.00") },
  ...{ foreign: tally(0, "0.00"), currency: "NGN", gaps: 1, differencesInAll: 3 },
  differences: [difference()],
  ...changes,
});

const csvOf = (...certificates: Certificate[]) =>
  [
    csvHeader,
    ...certificates.flatMap((one) => [
      csvHead(one),
      csvDifferences(one, one.differences, REFERENCES),
      csvMore(one),
    ]),
  ].join("");

it("certificates as CSV are one table: days, totals, why one is refused, each difference, and how many more", async () => {
  const basis = { provisional: true, zone: "Africa/Lagos" } as Certificate["basis"];
  const refused = {
    result: "refused",
    refusals: ['The list, "whole", was not.'],
    days: [],
    basis,
  } satisfies Partial<Certificate>;
  const csv = csvOf(certificate({ ...refused, differencesInAll: 1 }), certificate());
  expect(csv.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  await expectGolden("certificate.csv", csv);
});

it("a table holds whatever strangers write, cell by cell, and none begins a formula", () => {
  const begins = fc.constantFrom("", "=", "+", "-", "@", "＝", " =", "\t=", "\r\n=", '"=', ",=");
  const text = fc.tuple(begins, anyText({ maxLength: 30 })).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(text, { minLength: 20, maxLength: 20 }), (details) => {
      const rows = rowsOf(
        csvOf(certificate({ differences: details.map((detail) => difference({ detail, amount: "-5.00" })) })),
      );
      const gaps = rows.filter(({ row }) => row === "gap");
      // Nothing ran over into another cell or row.
      expect(gaps.map(({ scope, reference, amount }) => `${scope} ${reference} ${amount}`)).toEqual(
        details.map(() => "source INV-7 -5.00"),
      );
      const cells = gaps.map(({ detail = "" }) => detail);
      expect(cells.filter((cell) => /^\s*[=+\-@＝]/.test(cell) && !/^-?\d+(\.\d+)?$/.test(cell))).toEqual([]);
    }),
    { numRuns: 20 },
  );
});
