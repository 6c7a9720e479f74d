import { describe, expect, it } from "vitest";
import type { Unproven } from "../../src/reconcile/list/list-reader.ts";
import { alarmsAtEnd, alarmsAtFault } from "../../src/reconcile/sweep/sweep-alarm.ts";
import type { ClaimedSweep } from "../../src/reconcile/sweep/sweep-row.ts";

const COLLECTION = "0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e10";
const sweep = { source: "default", collectionId: COLLECTION, kind: "automatic" } as ClaimedSweep;
const about = { name: "sweep_failing", source: "default", subject: COLLECTION };

const unproven = (day: number): Unproven => ({
  first: `2026-10-0${day}`,
  last: `2026-10-0${day + 1}`,
  why: `reason ${day}`,
});

describe("the alarm of a sweep that ends", () => {
  it("is closed when the whole list was shown", () => {
    expect(alarmsAtEnd(sweep, [])).toEqual({ clears: [about] });
  });

  it.each<[string, number[], string]>([
    ["one doubt", [1], "2026-10-01 to 2026-10-02: reason 1."],
    [
      "three doubts",
      [1, 3, 5],
      "2026-10-01 to 2026-10-02: reason 1; 2026-10-03 to 2026-10-04: reason 3; " +
        "2026-10-05 to 2026-10-06: reason 5.",
    ],
    [
      "five doubts: three are named, the others counted",
      [1, 2, 3, 4, 5],
      "2026-10-01 to 2026-10-02: reason 1; 2026-10-02 to 2026-10-03: reason 2; " +
        "2026-10-03 to 2026-10-04: reason 3 and 2 more.",
    ],
  ])("is raised, and says which days and why, with %s", (_, days, named) => {
    const detail =
      `The provider's list of this collection contradicts itself, however it is read: ${named} What it ` +
      "showed was used; what it may be hiding waits. The other days were read. The next sweep reads it again.";
    expect(alarmsAtEnd(sweep, days.map(unproven))).toEqual({ raises: [{ ...about, detail }] });
  });

  it("is nobody's when somebody asked for the sweep: it is told to them", () => {
    const asked = { ...sweep, kind: "back_fill" } as const;
    for (const doubts of [[], [unproven(1)]]) expect(alarmsAtEnd(asked, doubts)).toEqual({});
  });
});

it("faults of a sweep are told from the third in a row on, with their number and the last of them", () => {
  expect([1, 2].map((faults) => alarmsAtFault(sweep, faults, "HTTP 502."))).toEqual([[], []]);
  const detail = (faults: number) =>
    `The provider's list of this collection could not be read, ${faults} times in a row: HTTP 502. What ` +
    "callbacks missed there waits. It is retried automatically.";
  for (const faults of [3, 4])
    expect(alarmsAtFault(sweep, faults, "HTTP 502.")).toEqual([{ ...about, detail: detail(faults) }]);
});
