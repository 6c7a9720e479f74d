import { describe, expect, it } from "vitest";
import {
  type CalendarDay,
  periodToProve,
  sentenceOf,
  stateOfDay,
  summaryOf,
  wordsOfDay,
  wordsOfNone,
} from "../../../src/console/pages/completeness/day-state.ts";

const tally = (count: number, amount: string) => ({ count, amount });
const certified = (changes: Partial<CalendarDay> = {}): CalendarDay => ({
  day: "2026-11-20",
  source: "default",
  certificateId: "00000000-0000-4000-8000-000000000001",
  madeAt: "2026-11-21T01:00:00.000Z",
  result: "equal",
  paid: tally(3, "4500.00"),
  stored: tally(3, "4500.00"),
  published: tally(3, "4500.00"),
  missing: tally(0, "0.00"),
  differences: 0,
  ...changes,
});
const stateOf = (day: CalendarDay | undefined, on = "2026-11-20", since: string | null = "2026-11-01") =>
  stateOfDay(on, day, "2026-11-22", since);

describe("a day of the calendar", () => {
  it("is green only when that was shown", () => {
    expect(stateOf(certified())).toBe("equal");
    expect(stateOf(undefined)).toBe("unproven");
    expect(stateOf(certified({ result: "refused" }))).toBe("refused");
    expect(stateOf(certified({ differences: 1 }))).toBe("differs");
    // Whatever else it says, a missing payment comes first.
    expect(stateOf(certified({ result: "refused", missing: tally(1, "1.00") }))).toBe("missing");
    expect(stateOf(certified({ result: "not_equal" }))).toBe("differs");
  });

  it("is neither green nor open before the first serve, and before it is over", () => {
    expect(stateOf(undefined, "2026-11-22")).toBe("none");
    expect(stateOf(undefined, "2026-10-31")).toBe("none");
    expect(stateOf(undefined, "2026-11-20", null)).toBe("none");
  });

  it("says how much is missing, to the digit", () => {
    const gap = certified({ missing: tally(1_200, "9007199254740993.10") });
    expect(wordsOfDay(stateOf(gap), gap)).toBe("1,200 missing, 9,007,199,254,740,993.10");
    expect(wordsOfDay("equal", certified())).toBe("complete, 3 paid, 4,500.00");
    expect(wordsOfDay("equal", certified({ paid: tally(0, "0.00") }))).toBe("complete, no payment");
  });

  it("counts in one sentence for all", () => {
    const gap = certified({ missing: tally(2, "5000.50") });
    expect(sentenceOf(summaryOf(["equal", "equal"], []))).toBe(
      "All is complete: 2 days proven, no payment is missing.",
    );
    expect(sentenceOf(summaryOf(["equal", "missing", "unproven"], [certified(), gap]))).toBe(
      "2 payments are missing: 1 day of 2 days needs a look. 1 day has no certificate yet.",
    );
    expect(sentenceOf(summaryOf(["refused"], [certified({ result: "refused" })]))).toBe(
      "1 day could not be proven: 1 day of 1 day needs a look.",
    );
    expect(sentenceOf(summaryOf(["unproven"], []))).toBe("1 day has no certificate yet.");
    expect(sentenceOf(summaryOf([], []))).toMatch(/^There is no day to prove yet/);
  });
});

describe("a day without differences by name", () => {
  it("says that each payment is there only when nothing was counted", () => {
    expect(wordsOfNone(0)).toContain("No difference");
    expect(wordsOfNone(1)).toContain("1 to look at, none by name");
  });
});

describe("the period that the form begins with", () => {
  it("is never inverted: served since today, it is yesterday", () => {
    const today = "2026-11-24";
    expect(periodToProve("2026-09-01", "2026-10-05", today)).toEqual({
      from: "2026-10-05",
      to: "2026-11-23",
    });
    expect(periodToProve("2026-09-01", null, today)).toEqual({ from: "2026-09-01", to: "2026-11-23" });
    for (const served of [today, "2026-11-25", "2026-11-23"])
      expect(periodToProve("2026-09-01", served, today)).toEqual({ from: "2026-11-23", to: "2026-11-23" });
  });
});
