import { describe, expect, it } from "vitest";
import { daysFromTo, monthsBefore, monthsFromTo } from "../../../src/console/pages/completeness/day-state.ts";
import { addDays } from "../../../src/kit/time.ts";

describe("the calendar's days", () => {
  it("are counted over the ends of months and leap years", () => {
    expect(daysFromTo("2028-02-28", "2028-03-01")).toEqual(["2028-02-28", "2028-02-29", "2028-03-01"]);
    expect(daysFromTo("2026-03-02", "2026-03-01")).toEqual([]);
    expect(addDays("2026-01-01", -1)).toBe("2025-12-31");
    expect(monthsBefore("2026-01-31", 2)).toBe("2025-11-01");
  });

  it("stand in weeks from Monday to Sunday, each day once", () => {
    const [october, november] = monthsFromTo("2026-10-31", "2026-11-22");
    expect(october?.name).toBe("2026-10");
    expect(october?.weeks[0]).toEqual([
      null,
      null,
      null,
      "2026-10-01",
      "2026-10-02",
      "2026-10-03",
      "2026-10-04",
    ]);
    expect(november?.weeks.at(-1)).toEqual(["2026-11-30", null, null, null, null, null, null]);
    expect(november?.weeks.flat().filter((day) => day !== null)).toEqual(
      daysFromTo("2026-11-01", "2026-11-30"),
    );
  });

  it("of a month that begins on a Monday or ends on a Sunday leave no empty week", () => {
    const [june] = monthsFromTo("2026-06-01", "2026-06-30");
    expect(june?.weeks[0]?.[0]).toBe("2026-06-01");
    const [may] = monthsFromTo("2026-05-01", "2026-05-31");
    expect(may?.weeks).toHaveLength(5);
    expect(may?.weeks.at(-1)?.at(-1)).toBe("2026-05-31");
  });
});
