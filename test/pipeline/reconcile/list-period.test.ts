import { describe, expect, it } from "vitest";
import { eachDay, partsOf, periodFor } from "../../../src/pipeline/reconcile/list/list-dates.ts";

const DAY_MS = 86_400_000;

describe("the days that a list is asked for", () => {
  it("reach beyond the window by the look-back, the farthest zone and a day", () => {
    const window = { from: new Date("2026-10-10T00:00:00Z"), to: new Date("2026-10-20T00:00:00Z") };
    expect(periodFor(window, 0)).toEqual({ first: "2026-10-08", last: "2026-10-21" });
    expect(periodFor(window, 7 * DAY_MS)).toEqual({ first: "2026-10-01", last: "2026-10-21" });
    const atNight = { from: new Date("2026-10-10T14:00:00Z"), to: new Date("2026-10-20T10:00:00Z") };
    expect(periodFor(atNight, 0)).toEqual({ first: "2026-10-09", last: "2026-10-22" });
  });

  it("are read in parts, the newest first, of which neighbours share two days", () => {
    const days = { first: "2026-10-01", last: "2026-10-16" };
    expect(partsOf(days, 0)).toEqual([days]);
    expect(partsOf(days, 2)).toEqual([
      { first: "2026-10-08", last: "2026-10-16" },
      { first: "2026-10-01", last: "2026-10-09" },
    ]);
    expect(partsOf({ first: "2026-10-12", last: "2026-10-16" }, 90)).toEqual([
      { first: "2026-10-13", last: "2026-10-16" },
      { first: "2026-10-12", last: "2026-10-14" },
    ]);
  });
});

describe("the days of a window", () => {
  const at = (time: string) => new Date(`2026-10-${time}Z`);
  const daysOf = (from: Date, to: Date) =>
    [...eachDay({ from, to })].map((part) => [part.from.toISOString(), part.to.toISOString()]);

  it("end at midnight, UTC; the first and last may be parts", () => {
    expect(daysOf(at("01T12:00:00"), at("03T00:00:00.001"))).toEqual([
      ["2026-10-01T12:00:00.000Z", "2026-10-02T00:00:00.000Z"],
      ["2026-10-02T00:00:00.000Z", "2026-10-03T00:00:00.000Z"],
      ["2026-10-03T00:00:00.000Z", "2026-10-03T00:00:00.001Z"],
    ]);
    expect(daysOf(at("01T00:00:00"), at("01T00:00:00"))).toEqual([]);
  });
});
