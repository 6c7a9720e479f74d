import { expect, it } from "vitest";
import { type MadeCertificate, unprovenDays } from "../../src/reconcile/unproven-days.ts";
import { expectCheap } from "../support/expect-cheap.ts";

const DAY_MS = 86_400_000;
const LENGTH = 35;
const dayAt = (n: number) => new Date(Date.UTC(2024, 0, n)).toISOString().slice(0, 10);

/** Of each day of three years, over 35 days, none of them equal. */
const dailies = Array.from({ length: 3 * 365 }, (_, n): MadeCertificate => {
  const to = new Date(Date.UTC(2024, 0, n + 1) - 3_600_000);
  return {
    ...{
      id: `${n}`,
      source: "default",
      collectionIds: [],
      zone: "Africa/Lagos",
      result: "not_equal",
      gaps: 1,
    },
    ...{ from: new Date(to.getTime() - LENGTH * DAY_MS), to, madeAt: to },
    wanting: Array.from({ length: LENGTH }, (_, k) => ({ day: dayAt(n + k + 1 - LENGTH), gaps: 1 })),
  };
});

it("years of daily certificates that find something wanting hold up nobody who asks for the status (G11)", () => {
  const found = unprovenDays(dailies);
  // Each but the last is settled by the next, except for the day with which it begins.
  expect(found.map(({ days }) => days)).toEqual([LENGTH, ...Array(dailies.length - 1).fill(1)]);
  expect(found[0]).toMatchObject({
    certificateId: `${dailies.length - 1}`,
    lastDay: dayAt(dailies.length - 1),
  });
  expectCheap(() => unprovenDays(dailies), 15);
});
