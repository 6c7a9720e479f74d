import { describe, expect, it } from "vitest";
import {
  canContinueWith,
  isProvisional,
  type Reading,
} from "../../../src/pipeline/reconcile/certificate/certificate.ts";

const TERMS = {
  ...{ collectionIds: ["a", "b"], period: { first: "2026-09-01", last: "2026-11-02" } },
  ...{ paidStatuses: ["Paid"], invalidStatuses: ["Invalidated"], timeZone: "UTC" },
};
const WINDOW = { from: new Date("2026-10-01T00:00:00Z"), to: new Date("2026-11-01T00:00:00Z") };
const begun = (ms: number) => ({ begunAt: new Date(WINDOW.to.getTime() + ms).toISOString() });

const READING: Reading = {
  ...{ ...begun(0), terms: TERMS, collections: [], pages: 1, doubts: [] },
};

describe("a kept reading of the lists", () => {
  it.each<[boolean, string, object | null, Partial<typeof TERMS>]>([
    [true, "after the period was over, under the same terms", {}, {}],
    [false, "... and is gone", null, {}],
    [false, "before the period was over", begun(-1), {}],
    [false, "nobody knows when", { begunAt: undefined }, {}],
    [false, "of other collections", {}, { collectionIds: ["a"] }],
    [false, "of other days", {}, { period: { first: "2026-08-01", last: "2026-11-02" } }],
    [false, "of other PAID_STATUSES", {}, { paidStatuses: ["Paid", "Settled"] }],
    [false, "of other INVALID_STATUSES", {}, { invalidStatuses: [] }],
    [false, "of another PROVIDER_TIME_ZONE", {}, { timeZone: "Africa/Lagos" }],
  ])("is gone on with: %s, when it began %s (G10)", (goesOn, _, changes, terms) => {
    // As it is stored.
    const kept = changes === null ? null : JSON.parse(JSON.stringify({ ...READING, ...changes }));
    expect(canContinueWith(kept, { ...TERMS, ...terms }, WINDOW)).toBe(goesOn);
  });

  it.each([
    [0, true],
    [3_599_999, true],
    [3_600_000, false],
  ])("that began %i ms after the period was over is provisional: %s", (ms, expected) => {
    expect(isProvisional(begun(ms), WINDOW)).toBe(expected);
  });
});
