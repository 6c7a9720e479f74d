import { describe, expect, it } from "vitest";
import { topOf, totalsOf } from "../../../src/console/pages/now/series.ts";

const minute = { at: "2026-11-22T00:00:00Z", received: 2, confirmed: 1, published: 0 };

describe("the minutes of the chart", () => {
  it("are summed", () =>
    expect(totalsOf([minute, minute])).toEqual({ received: 4, confirmed: 2, published: 0 }));

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
    expect(topOf([{ ...minute, received }])).toBe(top);
    expect(top % 2).toBe(0);
  });
});
