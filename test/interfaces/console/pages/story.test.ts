import { describe, expect, it } from "vitest";
import { storyOf } from "../../../../src/interfaces/console/pages/payments/story.ts";

const row = (says: string, detail: string | null = null) => ({
  way: "relay" as const,
  tone: "plain" as const,
  says,
  detail,
});

describe("a payment's story", () => {
  it("names the day where one begins, in the zone that is shown", () => {
    const rows = ["2026-11-22T22:30:00Z", "2026-11-22T23:30:00Z", "2026-11-23T01:00:00Z"].map((at, n) => ({
      at,
      row: row(`step ${n}`),
    }));
    expect(storyOf(rows, "Africa/Lagos").map(({ day }) => day)).toEqual(["22 Nov 2026", "23 Nov 2026", null]);
    expect(storyOf(rows, "UTC").map(({ day }) => day)).toEqual(["22 Nov 2026", null, "23 Nov 2026"]);
  });

  it("folds what reads the same in a row, and says how often and when last", () => {
    const rows = [
      { at: "2026-11-22T04:00:00Z", row: row("asked", "Unpaid") },
      { at: "2026-11-22T04:00:02Z", row: row("asked", "Unpaid") },
      { at: "2026-11-22T04:00:12Z", row: row("asked", "Unpaid") },
      { at: "2026-11-22T04:00:13Z", row: row("asked", "Paid") },
      { at: "2026-11-22T04:00:14Z", row: row("asked", "Unpaid") },
      // Another day begins: one sees what was on it.
      { at: "2026-11-23T04:00:14Z", row: row("asked", "Unpaid") },
    ];
    const told = storyOf(rows, "UTC").map(({ first, times, at, lastAt }) => [
      first.detail,
      times,
      at.slice(11, 19),
      lastAt.slice(11, 19),
    ]);
    expect(told).toEqual([
      ["Unpaid", 3, "04:00:00", "04:00:12"],
      ["Paid", 1, "04:00:13", "04:00:13"],
      ["Unpaid", 1, "04:00:14", "04:00:14"],
      ["Unpaid", 1, "04:00:14", "04:00:14"],
    ]);
  });
});
