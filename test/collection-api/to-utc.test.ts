import fc from "fast-check";
import { DateTime } from "luxon";
import { describe, expect, it } from "vitest";
import { toUtc } from "../../src/collection-api/index.ts";

describe("a provider's time in UTC", () => {
  it.each([
    ["2024-05-01T10:00:00Z", "Africa/Lagos", "2024-05-01T10:00:00.000Z"],
    ["2024-05-01T10:00:00.1239999Z", "UTC", "2024-05-01T10:00:00.123Z"],
    ["2024-05-01T10:00:00.5Z", "UTC", "2024-05-01T10:00:00.500Z"],
    ["2024-05-01T10:00:00+01:00", "UTC", "2024-05-01T09:00:00.000Z"],
    ["2024-05-01T10:00:00-0530", "UTC", "2024-05-01T15:30:00.000Z"],
    ["2024-05-01T10:00:00", "UTC", "2024-05-01T10:00:00.000Z"],
    ["2024-05-01T10:00:00", "Africa/Lagos", "2024-05-01T09:00:00.000Z"],
    ["2024-05-01 10:00", "Africa/Lagos", "2024-05-01T09:00:00.000Z"],
    ["2024-05-01", "Africa/Lagos", "2024-04-30T23:00:00.000Z"],
    ["2024-07-01T10:00:00", "Europe/Berlin", "2024-07-01T08:00:00.000Z"],
    [" 2024-05-01T10:00:00Z ", "UTC", "2024-05-01T10:00:00.000Z"],
  ])("%s, else in %s, is %s", (text, zone, utc) => {
    expect(toUtc(text, zone)?.toISOString()).toBe(utc);
  });

  it.each([
    null,
    undefined,
    "",
    "  ",
    "soon",
    "2024-02-30T10:00:00Z",
    "2023-02-29",
    "2024-13-01",
    "2024-05-01T25:00:00Z",
    "2024-05-01T10:60:00Z",
    "0001-01-01T00:00:00",
    "0001-01-01T00:00:00Z",
  ])("%s names no moment", (text) => {
    expect(toUtc(text, "UTC")).toBeNull();
    expect(toUtc(text, "Africa/Lagos")).toBeNull();
  });

  it("agrees with luxon on every moment that luxon writes", () => {
    const moment = fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true });
    const zone = fc.constantFrom("UTC", "Africa/Lagos", "Asia/Kolkata", "Europe/Berlin");
    fc.assert(
      fc.property(moment, zone, (date, name) => {
        const text = DateTime.fromJSDate(date, { zone: name }).toISO();
        expect(toUtc(text, "America/New_York")).toEqual(date);
      }),
    );
  });
});
