import { describe, expect, it } from "vitest";
import { canContinueWith, isProvisional, type Reading } from "../../src/reconcile/certificate/certificate.ts";

const TERMS = {
  collectionIds: ["a", "b"],
  period: { first: "2026-09-01", last: "2026-11-02" },
  paidStatuses: ["Paid"],
  invalidStatuses: ["Invalidated"],
  timeZone: "UTC",
};
const WINDOW = { from: new Date("2026-10-01T00:00:00Z"), to: new Date("2026-11-01T00:00:00Z") };

const READING: Reading = {
  begunAt: WINDOW.to.toISOString(),
  terms: TERMS,
  collections: [],
  pages: 1,
  pagesOfAll: [],
  doubts: [],
  unusable: [],
};

describe("a kept reading of the lists", () => {
  it("is gone on with when it began after the period was over, under the same terms", () => {
    expect(canContinueWith(READING, TERMS, WINDOW)).toBe(true);
    expect(canContinueWith(JSON.parse(JSON.stringify(READING)), TERMS, WINDOW)).toBe(true);
    expect(canContinueWith(null, TERMS, WINDOW)).toBe(false);
  });

  it("is not when it began before the period was over, or nobody knows when (G10)", () => {
    const begunAt = new Date(WINDOW.to.getTime() - 1).toISOString();
    expect(canContinueWith({ ...READING, begunAt }, TERMS, WINDOW)).toBe(false);
    const { begunAt: _, ...older } = READING;
    expect(canContinueWith(older as Reading, TERMS, WINDOW)).toBe(false);
  });

  it.each<[string, Partial<typeof TERMS>]>([
    ["other collections", { collectionIds: ["a"] }],
    ["other days", { period: { first: "2026-08-01", last: "2026-11-02" } }],
    ["other PAID_STATUSES", { paidStatuses: ["Paid", "Settled"] }],
    ["other INVALID_STATUSES", { invalidStatuses: [] }],
    ["another PROVIDER_TIME_ZONE", { timeZone: "Africa/Lagos" }],
  ])("is not when it was of %s (G10)", (_, changes) => {
    expect(canContinueWith(READING, { ...TERMS, ...changes }, WINDOW)).toBe(false);
  });

  it("is provisional when it began less than an hour after the period was over", () => {
    const begun = (ms: number) => ({ begunAt: new Date(WINDOW.to.getTime() + ms).toISOString() });
    expect([0, 3_599_999, 3_600_000].map((ms) => isProvisional(begun(ms), WINDOW))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
