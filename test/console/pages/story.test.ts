import { describe, expect, it } from "vitest";
import { markedText } from "../../../src/console/pages/callbacks/marked-text.ts";
import { storyOf } from "../../../src/console/pages/payments/story.ts";

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

describe("a callback's body", () => {
  const id = "9f8b8a52-6a2b-4c55-9a3e-0d3c8d1f0a11";

  it("is indented where it is JSON, with its ids marked where they are then", () => {
    const body = `{"note":"${id}","data":{"id":"${id}","amount":1500.50}}`;
    const parts = markedText(body, [{ at: body.lastIndexOf(id) }]);
    expect(parts.map(({ text }) => text).join("")).toBe(
      `{\n  "note": "${id}",\n  "data": {\n    "id": "${id}",\n    "amount": 1500.50\n  }\n}`,
    );
    expect(parts.map(({ text, isId }) => (isId ? "ID" : text.slice(-8)))).toEqual(
      ['"id": "', "ID", "0.50\n  }\n}".slice(-8)].map((text, n) => (n === 0 ? ' "id": "' : text)),
    );
  });

  it("is as it came where it is none", () => {
    const body = `id=${id}&x=1`;
    expect(markedText(body, [{ at: 3 }, { at: null }, { at: 3 }])).toEqual([
      { at: 0, text: "id=", isId: false },
      { at: 3, text: id, isId: true },
      { at: 39, text: "&x=1", isId: false },
    ]);
  });
});
