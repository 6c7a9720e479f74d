import { describe, expect, it } from "vitest";
import {
  type CalendarDay,
  type DayState,
  daysFromTo,
  sentenceOf,
  stateOfDay,
  wordsOfDay,
  wordsOfNone,
} from "../../../../src/interfaces/console/pages/completeness/day-state.ts";
import { expectGolden } from "../../../support/golden.ts";

const tally = (count: number, amount: string) => ({ count, amount });
const NONE = tally(0, "0.00");
const ALL = tally(3, "4500.00");
const certified = (changes: Partial<CalendarDay> = {}): CalendarDay => ({
  day: "2026-11-20",
  source: "default",
  certificateId: "00000000-0000-4000-8000-000000000001",
  madeAt: "2026-11-21T01:00:00.000Z",
  result: "equal",
  ...{ paid: ALL, stored: ALL, published: ALL, missing: NONE, differences: 0 },
  ...changes,
});

describe("a day of the calendar", () => {
  const GAP = certified({ result: "refused", missing: tally(1_200, "9007199254740993.10") });
  it.each<[string, CalendarDay | undefined, day?: string, since?: string | null]>([
    ["equal", certified()],
    ["refused", certified({ result: "refused" })],
    ["differs", certified({ differences: 1 })],
    ["differs", certified({ result: "not_equal" })],
    // Whatever else it says, a missing payment comes first.
    ["missing", GAP],
    ["unproven", undefined],
    // Not over; before the first serve; nobody knows of one.
    ["none", undefined, "2026-11-22"],
    ["none", undefined, "2026-10-31"],
    ["none", undefined, "2026-11-20", null],
  ])("is %s", (state, day, on = "2026-11-20", since = "2026-11-01") =>
    expect(stateOfDay(on, day, "2026-11-22", since)).toBe(state),
  );

  it("is worded with how much is paid or missing, to the digit, and counted with all others", async () => {
    expect(wordsOfDay("missing", GAP)).toContain("9,007,199,254,740,993.10");
    const sentences = [["equal", "equal"], ["equal", "missing", "unproven"], ["unproven"], []].map((states) =>
      sentenceOf(states as DayState[]),
    );
    const days = [wordsOfDay("missing", GAP), wordsOfDay("equal", certified())];
    days.push(wordsOfDay("equal", certified({ paid: NONE })), wordsOfNone(0), wordsOfNone(1));
    await expectGolden("completeness", [...sentences, ...days].join("\n"));
  });
});

describe("the calendar's days", () => {
  it("are counted over the ends of months and leap years", () => {
    expect(daysFromTo("2028-02-28", "2028-03-01")).toEqual(["2028-02-28", "2028-02-29", "2028-03-01"]);
    expect(daysFromTo("2026-03-02", "2026-03-01")).toEqual([]);
  });
});
