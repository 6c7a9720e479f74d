import { describe, expect, it } from "vitest";
import {
  addDays,
  bookDay,
  bookDayOf,
  bookDaysOf,
  bookPeriod,
  lastBookDay,
  startOfBookDay,
} from "../../../src/platform/values/time.ts";

describe("days of the books", () => {
  it.each([
    ["2026-10-31", "UTC", "2026-10-31T00:00:00.000Z", "2026-11-01T00:00:00.000Z"],
    // Across a year's end too.
    ["2026-01-01", "Africa/Lagos", "2025-12-31T23:00:00.000Z", "2026-01-01T23:00:00.000Z"],
    // 23 or 25 hours where clocks change, none lost and none twice.
    ["2026-03-29", "Europe/London", "2026-03-29T00:00:00.000Z", "2026-03-29T23:00:00.000Z"],
    ["2026-10-25", "Europe/London", "2026-10-24T23:00:00.000Z", "2026-10-26T00:00:00.000Z"],
    // Where clocks change at midnight, 00:00 is 01:00 at once, or comes twice.
    ["2026-04-24", "Africa/Cairo", "2026-04-23T22:00:00.000Z", "2026-04-24T21:00:00.000Z"],
    ["2026-11-01", "America/Havana", "2026-11-01T04:00:00.000Z", "2026-11-02T05:00:00.000Z"],
    // A day that Samoa never had.
    ["2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00.000Z", "2011-12-30T10:00:00.000Z"],
  ])("begin and end by the clocks of their zone: %s in %s", (day, zone, from, to) => {
    expect(bookDay(day, zone)).toEqual({ from: new Date(from), to: new Date(to) });
  });

  it("are those in which a moment lies", () => {
    expect(bookDayOf(new Date("2025-12-31T22:59:59.999Z"), "Africa/Lagos")).toBe("2025-12-31");
    const late = new Date("2025-12-31T23:00:00.000Z");
    expect(bookDayOf(late, "Africa/Lagos")).toBe("2026-01-01");
  });

  it.each([
    ["Africa/Lagos", ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"]],
    // The last that has four digits of a year.
    ["UTC", ["9999-12-30", "9999-12-31"]],
  ])("are told of a period in %s", (zone, days) => {
    const period = bookPeriod(days[0] ?? "", days.at(-1) ?? "", zone);
    expect(bookDaysOf(period, zone)).toEqual(days);
    expect(lastBookDay(period, zone)).toBe(days.at(-1));
  });

  it("follow one another without a gap in every zone", () => {
    for (const zone of Intl.supportedValuesOf("timeZone")) {
      for (let day = "2026-01-01"; day < "2027-01-01"; day = addDays(day, 41)) {
        const { from, to } = bookDay(day, zone);
        const days = [from.getTime() - 1, from, to.getTime() - 1, to].map((at) => bookDayOf(at, zone));
        expect({ zone, days }).toEqual({ zone, days: [addDays(day, -1), day, day, addDays(day, 1)] });
      }
    }
  });

  it("refuse what is no time and no zone", () => {
    expect(() => bookDayOf(Number.NaN, "Africa/Lagos")).toThrow(RangeError);
    expect(() => startOfBookDay("2026-01-01", "Mars/Olympus")).toThrow(RangeError);
  });
});
