import { describe, expect, it, vi } from "vitest";
import { finish, never, onFakeTime, reserve, scriptedPump, settle, slowPump } from "./scripted-pump.ts";

onFakeTime();

describe("1. work is claimed from each line in turn", () => {
  it("until nothing is due, each item once, and says when there may be more", async () => {
    const { pump, lines, line, other } = scriptedPump({ lines: ["a", "b", "c"] });
    line.moreInMs = 700;
    other.moreInMs = 300;
    for (const line of lines) line.add(100);
    const drained = pump.drain(never());
    await vi.advanceTimersByTimeAsync(100);
    expect(await drained).toBe(300);
    for (const { ran } of lines)
      expect([ran.length, new Set(ran.map(({ number }) => number)).size]).toEqual([100, 100]);
  });

  it.each([2, 8])(
    "a line that hangs never takes more than three quarters of %i exchanges",
    async (exchanges) => {
      const { pump, line: hangs, other: quick } = scriptedPump({ lines: ["hangs", "quick"], exchanges });
      hangs.answersAtOnce = false;
      hangs.add(1_000);
      quick.add(1_000);
      void pump.drain(never());
      await vi.advanceTimersByTimeAsync(500);
      expect(hangs.underWay.size).toBeLessThanOrEqual(Math.max(1, exchanges * 0.75));
      expect(quick.ran).toHaveLength(1_000);
      // What waits and what runs, together.
      expect(1_000 - hangs.due.length).toBeLessThanOrEqual(2 * exchanges * 0.75);
    },
  );

  it.each([1, 8])(
    "a line with a share of %i exchanges takes no more, and takes none of a line's",
    async (exchanges) => {
      const both = scriptedPump({ lines: ["live", "last"], shares: { last: 0.25 }, exchanges });
      const { pump, line: live, other: last } = both;
      last.answersAtOnce = false;
      last.add(1_000);
      void pump.drain(never());
      await settle();
      expect(last.underWay.size).toBe(Math.max(1, exchanges / 4));
      // What waits and what runs, together.
      expect(1_000 - last.due.length).toBe(Math.max(1, (2 * exchanges) / 4));
      for (const batch of last.underWay) batch.done();
      live.answersAtOnce = false;
      live.add(1_000);
      await vi.advanceTimersByTimeAsync(2_000);
      for (const batch of last.underWay) batch.done();
      await settle();
      // As if it were alone, once what it found under way is done.
      expect(live.underWay.size).toBe(exchanges);
      expect(last.underWay.size).toBe(0);
      await finish(live);
    },
  );

  it("a line whose answers are not written down does not fill what may be held (G8)", async () => {
    const { pump, line: unwritten, other: quick } = scriptedPump({ lines: ["unwritten", "quick"] });
    const answer = async (line: typeof quick) => {
      line.answersAtOnce = false;
      line.add(1_000);
      for (let round = 0; round < 20; round += 1) {
        await vi.advanceTimersByTimeAsync(1_000);
        for (const batch of line.underWay) batch.answers();
      }
    };
    void pump.drain(never());
    await answer(unwritten);
    // Six times as many as there are exchanges may be held, of one line three quarters of that.
    expect(1_000 - unwritten.due.length).toBe(36);
    quick.add(100);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(quick.due).toEqual([]);
    await answer(quick);
    expect(2_000 - unwritten.due.length - quick.due.length).toBe(48);
  });

  it("what is dispatched does not keep waiting what is due, however much there is of it (G11)", async () => {
    const { pump, line, wake } = slowPump();
    void pump.drain(never());
    const handOver = (count: number) => {
      const places = reserve(pump, ...Array(count).fill("a")).filter(Boolean).length;
      pump.take(line.make(places), places, performance.now());
    };
    handOver(100);
    line.add(20);
    wake.raise();
    for (let round = 0; round < 100 && line.due.length > 0; round += 1) {
      const [first] = line.underWay;
      first?.done();
      handOver(1);
      await vi.advanceTimersByTimeAsync(20);
    }
    expect(line.due).toEqual([]);
    handOver(1);
  });

  it("again at a wake-up, although there was no capacity when it came", async () => {
    const { pump, line, wake } = slowPump({ exchanges: 2 });
    pump.take(line.make(4), reserve(pump, "a", "a", "a", "a").length, performance.now());
    const drained = pump.drain(never());
    await settle();
    line.add(1);
    wake.raise();
    await settle();
    expect(line.due).toHaveLength(1);
    await finish(line);
    expect(line.due).toEqual([]);
    await drained;
  });

  it("again after a second without any wake-up, while something hangs", async () => {
    const { pump, line } = slowPump();
    line.add(1);
    void pump.drain(never());
    await settle();
    line.add(1);
    await vi.advanceTimersByTimeAsync(999);
    expect(line.ran).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(line.ran).toHaveLength(2);
  });
});

describe("1. or dispatched by the transaction that made it", () => {
  it("runs at once, with no drain under way", async () => {
    const { pump, line } = scriptedPump({ lines: ["a"] });
    expect(reserve(pump, "a", "a", "nobody")).toEqual([true, true, false]);
    pump.take(line.make(2), 2, performance.now());
    await settle();
    expect(line.ran).toHaveLength(2);
    expect(line.wanted).toEqual([]);
  });

  it("has the capacity that was kept for it: no claim takes that", async () => {
    const { pump, line } = slowPump({ exchanges: 4 });
    expect(reserve(pump, ...Array(6).fill("a"))).not.toContain(false);
    line.add(100);
    void pump.drain(never());
    await settle();
    expect(line.wanted).toEqual([2]);
    pump.take(line.make(6), 6, performance.now());
    await settle();
    expect(line.wanted).toEqual([2]);
  });

  it("gives capacity back that was kept for what then did not come", async () => {
    const { pump, line } = scriptedPump({ lines: ["a"], exchanges: 4 });
    expect(reserve(pump, ...Array(20).fill("a")).filter(Boolean)).toHaveLength(8);
    expect(reserve(pump, "a")).toEqual([false]);
    pump.take(line.make(1), 8, performance.now());
    await settle();
    expect(reserve(pump, "a")).toEqual([true]);
  });

  it("finds no capacity while older work of its line waits to be claimed, and of no other line", async () => {
    const { pump, line: busy } = scriptedPump({ lines: ["busy", "calm"], exchanges: 4 });
    busy.answersAtOnce = false;
    busy.add(100);
    const stop = new AbortController();
    void pump.drain(stop.signal);
    await settle();
    expect(reserve(pump, "busy", "calm")).toEqual([false, true]);
    pump.take([], 1, performance.now());
    stop.abort();
    expect(reserve(pump, "calm")).toEqual([false]);
    await settle();
  });
});
