import { describe, expect, it } from "vitest";
import { countOf, filterWords, shareOf } from "../../../src/console/pages/replays/replay-words.ts";

describe("a replay in words", () => {
  it("says which of the log it takes", () => {
    expect(filterWords({}, "UTC")).toBe("everything");
    expect(filterWords({ refused: false, source: undefined }, "UTC")).toBe("everything");
    expect(filterWords({ to: "2026-11-22T07:45:59Z" }, "Africa/Lagos")).toBe(
      "everything, until 22 Nov 2026, 08:45 GMT+1",
    );
    const filters = {
      from: "2026-11-01T08:00:00.000Z",
      invoiceIds: ["a", "b"],
      verdict: "unknown_invoice",
      refused: true,
    };
    expect(filterWords(filters, "UTC")).toBe(
      "2 chosen, from 1 Nov 2026, 08:00 UTC, with verdict unknown invoice, refused ones too",
    );
  });

  it("counts", () => {
    expect(countOf("events", 1)).toBe("1 event");
    expect(countOf("callbacks", 12_000)).toBe("12,000 callbacks");
    expect(shareOf({ handled: 1, matching: 4 })).toBe(0.25);
    // More came since it was counted, or nothing matched: it is never beyond its end.
    expect(shareOf({ handled: 9, matching: 4 })).toBe(1);
    expect(shareOf({ handled: 0, matching: 0 })).toBe(1);
  });
});
