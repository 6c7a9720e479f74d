import { describe, expect, it } from "vitest";
import { stepsOf, topOf, totalsOf } from "../../../src/console/pages/now/series.ts";

const counts = { received: 2, confirmed: 1, published: null };
const minute = (at: string) => ({ at, ...counts });

describe("the steps of the chart", () => {
  it("are drawn in the order of time, also those that are missing", () => {
    const minutes = [minute("2026-11-22T00:02:00Z"), minute("2026-11-22T00:00:00Z")];
    expect(stepsOf(minutes, 1)).toEqual([
      { at: "2026-11-22T00:00:00.000Z", ...counts },
      { at: "2026-11-22T00:01:00.000Z", received: null, confirmed: null, published: null },
      { at: "2026-11-22T00:02:00.000Z", ...counts },
    ]);
    expect(totalsOf(minutes)).toEqual({ received: 4, confirmed: 2, published: 0 });
    expect(stepsOf([], 1)).toEqual([]);
  });

  it("may be longer", () => {
    const steps = stepsOf([minute("2026-11-22T00:00:00Z"), minute("2026-11-22T04:00:00Z")], 120);
    expect(steps.map(({ at }) => at.slice(11, 16))).toEqual(["00:00", "02:00", "04:00"]);
  });

  it.each([
    [0, 4],
    [4, 4],
    [5, 6],
    [9, 10],
    [11, 20],
    [39, 40],
    [100, 100],
    [81_000, 100_000],
  ])("with %i at the most stand below %i, half of which is whole", (received, top) => {
    expect(topOf([{ ...minute("2026-11-22T00:00:00Z"), received }])).toBe(top);
    expect(top % 2).toBe(0);
  });
});
