import { describe, expect, it } from "vitest";
import { columnsOf, dotsOf, totalsOf } from "../../../src/console/pages/now/series.ts";

describe("the minutes of the chart", () => {
  it("have a column each, also those that are missing", () => {
    const minute = (at: string) => ({ at, received: 2, confirmed: 1, published: null });
    const minutes = [minute("2026-11-22T00:02:00Z"), minute("2026-11-22T00:00:00Z")];
    expect(columnsOf(minutes, 1)).toEqual([
      [1795305600, 1795305660, 1795305720],
      [2, null, 2],
      [null, null, null],
      [1, null, 1],
    ]);
    expect(totalsOf(minutes)).toEqual({ received: 4, confirmed: 2, published: 0 });
  });

  it("may be longer steps", () => {
    const step = (at: string) => ({ at, received: 1, confirmed: 0, published: 0 });
    expect(columnsOf([step("2026-11-22T00:00:00Z"), step("2026-11-22T04:00:00Z")], 120)[0]).toEqual([
      1795305600, 1795312800, 1795320000,
    ]);
  });

  it("have a dot where something was counted, and nowhere else", () => {
    expect(dotsOf([0, 2, null, 0, 1])).toEqual([1, 4]);
    expect(dotsOf([0, 0])).toEqual([]);
  });
});
