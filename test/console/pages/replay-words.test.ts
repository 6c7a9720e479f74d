import { describe, expect, it } from "vitest";
import { countOf, filterWords, shareOf } from "../../../src/console/pages/replays/replay-words.ts";

describe("a replay in words", () => {
  it("says which of the log it takes", () => {
    expect(filterWords({})).toBe("everything");
    expect(filterWords({ refused: false, source: undefined })).toBe("everything");
    expect(
      filterWords({
        from: "2026-11-01T08:00:00.000Z",
        invoiceIds: ["a", "b"],
        verdict: "paid",
        refused: true,
      }),
    ).toBe("from 2026-11-01 08:00 UTC, 2 chosen, with verdict paid, refused ones");
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
