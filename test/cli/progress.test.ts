import { describe, expect, it } from "vitest";
import { Progress } from "../../src/cli/progress.ts";

function progress(isTTY: boolean, total: number | null) {
  const written: string[] = [];
  let now = 0;
  const output = { isTTY, columns: 100, write: (text: string) => void written.push(text) };
  const bar = new Progress({ output, unit: "events", total, now: () => now });
  return {
    written,
    bar,
    pass: (ms: number, count: number) => {
      now += ms;
      bar.advance(count);
    },
  };
}

describe("progress", () => {
  it("shows done, rate and what is left, on one line of a terminal", () => {
    const { bar, written, pass } = progress(true, 10_000);
    pass(1, 500);
    pass(999, 2_000);
    bar.end();
    expect(written).toEqual([
      // Nobody knows a rate from the first moments.
      "\r[#...................] 500 of 10,000 events\u001B[K",
      "\r[#####...............] 2,500 of 10,000 events, 2,500/s, 3 s left\u001B[K",
      "\r[#####...............] 2,500 of 10,000 events, 2,500/s, 3 s left\u001B[K",
      "\n",
    ]);
  });

  it("draws at most ten times a second", () => {
    const { written, pass } = progress(true, 10_000);
    for (let step = 0; step < 1_000; step++) pass(1, 1);
    expect(written.length).toBeLessThanOrEqual(11);
  });

  it("counts without an end where nobody knows the total", () => {
    const { written, pass } = progress(true, null);
    pass(2_000, 5_000);
    expect(written).toEqual(["\r5,000 events, 2,500/s\u001B[K"]);
  });

  it("writes nothing when piped", () => {
    const { bar, written, pass } = progress(false, 10);
    pass(1_000, 10);
    bar.end();
    expect(written).toEqual([]);
  });
});
