import { describe, expect, it } from "vitest";
import {
  addDays,
  bookDay,
  bookDayOf,
  bookDaysOf,
  bookPeriod,
  lastBookDay,
  latestBookDay,
  startOfBookDay,
} from "../../src/kit/time.ts";

const shown = ({ from, to }: { from: Date; to: Date }) => [from.toISOString(), to.toISOString()];

describe("days of the books", () => {
  it("are those of UTC by default", () => {
    expect(shown(bookDay("2026-10-31", "UTC"))).toEqual([
      "2026-10-31T00:00:00.000Z",
      "2026-11-01T00:00:00.000Z",
    ]);
  });

  it("are counted to the last day that has four digits of a year, and no further", () => {
    const last = ["9999-12-30", "9999-12-31"];
    expect(bookDaysOf(bookPeriod("9999-12-30", "9999-12-31", "UTC"), "UTC")).toEqual(last);
  });

  it("begin at midnight of their zone, across a year's end too", () => {
    expect(shown(bookDay("2026-01-01", "Africa/Lagos"))).toEqual([
      "2025-12-31T23:00:00.000Z",
      "2026-01-01T23:00:00.000Z",
    ]);
    expect(bookDayOf(new Date("2025-12-31T22:59:59.999Z"), "Africa/Lagos")).toBe("2025-12-31");
    expect(bookDayOf(new Date("2025-12-31T23:00:00.000Z"), "Africa/Lagos")).toBe("2026-01-01");
    const late = new Date("2025-12-31T23:00:00.000Z");
    expect(latestBookDay(late, ["America/Lima", "Africa/Lagos"])).toBe("2026-01-01");
    expect(latestBookDay(late, ["America/Lima"])).toBe("2025-12-31");
  });

  it("have 23 or 25 hours where clocks change, none lost and none twice", () => {
    expect(shown(bookDay("2026-03-29", "Europe/London"))).toEqual([
      "2026-03-29T00:00:00.000Z",
      "2026-03-29T23:00:00.000Z",
    ]);
    expect(shown(bookDay("2026-10-25", "Europe/London"))).toEqual([
      "2026-10-24T23:00:00.000Z",
      "2026-10-26T00:00:00.000Z",
    ]);
  });

  it("begin at their first moment where clocks change at midnight", () => {
    // Skipped: 00:00 is 01:00 at once.
    expect(startOfBookDay("2026-04-24", "Africa/Cairo").toISOString()).toBe("2026-04-23T22:00:00.000Z");
    // Twice: 01:00 is 00:00 again.
    expect(startOfBookDay("2026-11-01", "America/Havana").toISOString()).toBe("2026-11-01T04:00:00.000Z");
    // A day that Samoa never had.
    expect(shown(bookDay("2011-12-30", "Pacific/Apia"))).toEqual([
      "2011-12-30T10:00:00.000Z",
      "2011-12-30T10:00:00.000Z",
    ]);
  });

  it("are told of a period", () => {
    const period = bookPeriod("2026-02-27", "2026-03-02", "Africa/Lagos");
    expect(bookDaysOf(period, "Africa/Lagos")).toEqual([
      "2026-02-27",
      "2026-02-28",
      "2026-03-01",
      "2026-03-02",
    ]);
    expect(lastBookDay(period, "Africa/Lagos")).toBe("2026-03-02");
  });

  it("follow one another without a gap in every zone: a moment has the day that it lies in", () => {
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
