import fc from "fast-check";
import { DateTime } from "luxon";
import { describe, expect, it } from "vitest";
import { toUtc } from "../../../src/provider/collection-api/index.ts";

describe("a provider's time in UTC", () => {
  it.each([
    ["2024-05-01T10:00:00Z", "Africa/Lagos", "2024-05-01T10:00:00.000Z"],
    ["2024-05-01T10:00:00.1239999Z", "UTC", "2024-05-01T10:00:00.123Z"],
    ["2024-05-01T10:00:00-0530", "UTC", "2024-05-01T15:30:00.000Z"],
    ["2024-05-01T10:00:00", "Africa/Lagos", "2024-05-01T09:00:00.000Z"],
    ["2024-05-01 10:00", "Africa/Lagos", "2024-05-01T09:00:00.000Z"],
    ["2024-07-01T10:00:00", "Europe/Berlin", "2024-07-01T08:00:00.000Z"],
    [" 2024-05-01T10:00:00Z ", "UTC", "2024-05-01T10:00:00.000Z"],
    ["20240501T100000", "Africa/Lagos", "2024-05-01T09:00:00.000Z"],
    ["2024-12-31T24:00:00+01:00", "UTC", "2024-12-31T23:00:00.000Z"],
    ["9999-12-31T23:59:59.9999999", "America/New_York", "9999-12-31T23:59:59.999Z"],
  ])("%s, else in %s, is %s", (text, zone, utc) => {
    expect(toUtc(text, zone)?.toISOString()).toBe(utc);
  });

  it.each([
    ...[null, undefined, "", "  ", "soon", "1732600000", "1732600000000"],
    ...["2024-05-01T24:00:01Z", "2016-12-31T23:59:60Z", "+012024-05-01", "+010000-01-01T00:00:00Z"],
    // A time of no day, and numbers that read like one.
    ...["10:30", "T10:30", "10", "2024", "103045.5"],
    // Before there was a provider.
    ...["0001-01-01T00:00:00", "1970-01-01T00:00:00", "1999-12-31T23:59:59-14:00"],
    ...["2024-05-01T10:00:00+99:99", "2024-05-01 10:00-14:01", "2024-05-01T10:00:00+01:60"],
  ])("%s names no moment", (text) => {
    expect(toUtc(text, "UTC")).toBeNull();
    expect(toUtc(text, "Africa/Lagos")).toBeNull();
  });

  it("agrees with luxon on which dates and times there are", () => {
    const two = (most: number) => fc.integer({ min: 0, max: most }).map((part) => `${part}`.padStart(2, "0"));
    const year = fc.constantFrom("0000", "0099", "1899", "1999", "2000", "2023", "2024", "2100", "9998");
    const rest = fc.stringMatching(/^(\.\d{1,9})?Z?$/);
    fc.assert(
      fc.property(year, two(14), two(33), two(30), two(62), two(62), rest, (y, mo, d, h, mi, s, f) => {
        const text = `${y}-${mo}-${d}T${h}:${mi}:${s}${f}`;
        const read = DateTime.fromISO(text, { zone: "UTC" });
        expect(toUtc(text, "UTC")).toEqual(read.isValid && read.year >= 2000 ? read.toJSDate() : null);
      }),
      { numRuns: 1_000 },
    );
  });
});
