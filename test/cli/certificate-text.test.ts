import { describe, expect, it } from "vitest";
import { certificateText } from "../../src/cli/commands/certificate.ts";
import type { Certificate } from "../../src/reconcile/certificate/certificate.ts";

const tally = (count: number, amount: string) => ({ count, amount });
const three = { paid: tally(3, "4500.00"), stored: tally(3, "4500.00"), published: tally(3, "4500.00") };
const totals = { ...three, missing: tally(0, "0.00"), differences: 12_000 };

const certificate = (changes: Partial<Certificate>): Certificate => ({
  id: "22222222-2222-4222-8222-222222222222",
  source: "default",
  result: "not_equal",
  refusals: [],
  scope: "source",
  collections: [],
  from: "2026-10-01T00:00:00.000Z",
  to: "2026-10-03T00:00:00.000Z",
  madeAt: "2026-10-04T00:00:00.000Z",
  basis: {
    ...{ listFirst: "2026-09-01", listLast: "2026-10-04", begunAt: "2026-10-03T23:00:00.000Z", pages: 1 },
    ...{ lookbackDays: 35, zone: "UTC", providerTimeZone: "UTC", paidStatuses: ["Paid"] },
    ...{ listed: 3, asked: 0, deep: false, firstServedAt: null, provisional: false },
  },
  days: [{ day: "2026-10-02", ...totals }],
  total: totals,
  test: tally(0, "0.00"),
  foreign: tally(0, "0.00"),
  currency: "NGN",
  gaps: 0,
  differencesInAll: 12_000,
  differences: [],
  ...changes,
});

describe("a certificate as text", () => {
  it("counts what it does not name, day by day and in all (G10)", () => {
    const lines = certificateText(certificate({})).split("\n");
    const day = lines.find((line) => line.startsWith("2026-10-02"));
    expect(day?.split(/\s+/)).toEqual(expect.arrayContaining(["3", "4,500.00", "0", "0.00", "12,000"]));
    expect(lines).toContain("NOT EQUAL: 12,000 differences could hide money.");
    expect(lines.at(-1)).toBe("and 12000 more that are not named here");
  });

  it("says when its lists were read, and whether that may have been too early", () => {
    expect(certificateText(certificate({}))).toContain("read from 2026-10-03T23:00:00.000Z");
    expect(certificateText(certificate({}))).not.toContain("PROVISIONAL");
    const basis = { ...certificate({}).basis, provisional: true };
    expect(certificateText(certificate({ basis }))).toContain("PROVISIONAL: The lists began to be read less");
  });
});
