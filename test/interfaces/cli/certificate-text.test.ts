import { expect, it } from "vitest";
import { certificateText } from "../../../src/interfaces/cli/commands/proof.ts";
import type { Certificate } from "../../../src/pipeline/reconcile/certificate/certificate.ts";
import { expectGolden } from "../../support/golden.ts";

const tally = (count: number, amount: string) => ({ count, amount });
const three = { paid: tally(3, "4500.00"), stored: tally(3, "4500.00"), published: tally(3, "4500.00") };
const totals = { ...three, missing: tally(0, "0.00"), differences: 12_000 };
const basis = {
  ...{ listFirst: "2026-09-01", listLast: "2026-10-04", begunAt: "2026-10-03T23:00:00.000Z", pages: 1 },
  ...{ lookbackDays: 35, zone: "UTC", providerTimeZone: "UTC", paidStatuses: ["Paid"] },
  ...{ listed: 3, asked: 0, firstServedAt: null, provisional: false },
};

const textOf = (changes: Partial<Certificate>): string =>
  certificateText({
    ...{ id: "22222222-2222-4222-8222-222222222222", source: "default", result: "not_equal", refusals: [] },
    ...{ collections: [], from: "2026-10-01T00:00:00.000Z", to: "2026-10-03T00:00:00.000Z" },
    ...{ madeAt: "2026-10-04T00:00:00.000Z", basis, days: [{ day: "2026-10-02", ...totals }], total: totals },
    ...{ test: tally(0, "0.00"), foreign: tally(0, "0.00"), currency: "NGN", gaps: 0 },
    ...{ differencesInAll: 12_000, differences: [] },
    ...changes,
  });

it("a certificate as text counts what it does not name, and says when its lists were read, perhaps too early (G10)", async () => {
  const [plain, early] = [textOf({}), textOf({ basis: { ...basis, provisional: true } })];
  const day = plain.split("\n").find((line) => line.startsWith("2026-10-02"));
  expect(day?.split(/\s+/)).toEqual(expect.arrayContaining(["3", "4,500.00", "0", "0.00", "12,000"]));
  expect([plain, early].map((text) => text.includes("PROVISIONAL"))).toEqual([false, true]);
  await expectGolden("certificate-text", `${plain}\n\n${early}\n`);
});
