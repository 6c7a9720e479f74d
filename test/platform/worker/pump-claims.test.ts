import { describe, expect, it, vi } from "vitest";
import { finish, never, onFakeTime, reserve, scriptedPump, settle, slowPump } from "./scripted-pump.ts";

onFakeTime();

describe("1. work is claimed from each queue in turn", () => {
  it("until nothing is due, each item once, and says when there may be more", async () => {
    const { pump, queues, queue, other } = scriptedPump({ queues: ["a", "b", "c"] });
    queue.moreInMs = 700;
    other.moreInMs = 300;
    for (const queue of queues) queue.add(100);
    const drained = pump.drain(never());
    await vi.advanceTimersByTimeAsync(100);
    expect(await drained).toBe(300);
    for (const { ran } of queues)
      expect([ran.length, new Set(ran.map(({ number }) => number)).size]).toEqual([100, 100]);
  });

  it.each([2, 8])(
    "a queue that hangs never takes more than three quarters of %i requests",
    async (requests) => {
      const { pump, queue: hangs, other: quick } = scriptedPump({ queues: ["hangs", "quick"], requests });
      hangs.answersAtOnce = false;
      hangs.add(1_000);
      quick.add(1_000);
      void pump.drain(never());
      await vi.advanceTimersByTimeAsync(500);
      expect(hangs.underWay.size).toBeLessThanOrEqual(Math.max(1, requests * 0.75));
      expect(quick.ran).toHaveLength(1_000);
      // What waits and what runs, together.
      expect(1_000 - hangs.due.length).toBeLessThanOrEqual(2 * requests * 0.75);
    },
  );

  it.each([1, 8])(
    "a queue with a share of %i requests takes no more, and takes none of a queue's",
    async (requests) => {
      const both = scriptedPump({ queues: ["live", "last"], shares: { last: 0.25 }, requests });
      const { pump, queue: live, other: last } = both;
      last.answersAtOnce = false;
      last.add(1_000);
      void pump.drain(never());
      await settle();
      expect(last.underWay.size).toBe(Math.max(1, requests / 4));
      // What waits and what runs, together.
      expect(1_000 - last.due.length).toBe(Math.max(1, (2 * requests) / 4));
      for (const batch of last.underWay) batch.done();
      live.answersAtOnce = false;
      live.add(1_000);
      await vi.advanceTimersByTimeAsync(2_000);
      for (const batch of last.underWay) batch.done();
      await settle();
      // As if it were alone, once what it found under way is done.
      expect(live.underWay.size).toBe(requests);
      expect(last.underWay.size).toBe(0);
      await finish(live);
    },
  );

  it("a queue whose answers are not written down does not fill what may be held (G8)", async () => {
    const { pump, queue: unwritten, other: quick } = scriptedPump({ queues: ["unwritten", "quick"] });
    const answer = async (queue: typeof quick) => {
      queue.answersAtOnce = false;
      queue.add(1_000);
      for (let round = 0; round < 20; round += 1) {
        await vi.advanceTimersByTimeAsync(1_000);
        for (const batch of queue.underWay) batch.answers();
      }
    };
    void pump.drain(never());
    await answer(unwritten);
    // Six times as many as there are requests may be held, of one queue three quarters of that.
    expect(1_000 - unwritten.due.length).toBe(36);
    quick.add(100);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(quick.due).toEqual([]);
    await answer(quick);
    expect(2_000 - unwritten.due.length - quick.due.length).toBe(48);
  });

  it("what is dispatched does not keep waiting what is due, however much there is of it (G11)", async () => {
    const { pump, queue, wake } = slowPump();
    void pump.drain(never());
    const dispatch = (count: number) => {
      const places = reserve(pump, ...Array(count).fill("a")).filter(Boolean).length;
      pump.take(queue.make(places), places, performance.now());
    };
    dispatch(100);
    queue.add(20);
    wake.raise();
    for (let round = 0; round < 100 && queue.due.length > 0; round += 1) {
      const [first] = queue.underWay;
      first?.done();
      dispatch(1);
      await vi.advanceTimersByTimeAsync(20);
    }
    expect(queue.due).toEqual([]);
    dispatch(1);
  });

  it("again at a wake-up, although there was no capacity when it came", async () => {
    const { pump, queue, wake } = slowPump({ requests: 2 });
    pump.take(queue.make(4), reserve(pump, "a", "a", "a", "a").length, performance.now());
    const drained = pump.drain(never());
    await settle();
    queue.add(1);
    wake.raise();
    await settle();
    expect(queue.due).toHaveLength(1);
    await finish(queue);
    expect(queue.due).toEqual([]);
    await drained;
  });

  it("again after a second without any wake-up, while something hangs", async () => {
    const { pump, queue } = slowPump();
    queue.add(1);
    void pump.drain(never());
    await settle();
    queue.add(1);
    await vi.advanceTimersByTimeAsync(999);
    expect(queue.ran).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(queue.ran).toHaveLength(2);
  });
});

describe("1. or dispatched by the transaction that made it", () => {
  it("runs at once, with no drain under way", async () => {
    const { pump, queue } = scriptedPump({ queues: ["a"] });
    expect(reserve(pump, "a", "a", "nobody")).toEqual([true, true, false]);
    pump.take(queue.make(2), 2, performance.now());
    await settle();
    expect(queue.ran).toHaveLength(2);
    expect(queue.wanted).toEqual([]);
  });

  it("has the capacity that was kept for it: no claim takes that", async () => {
    const { pump, queue } = slowPump({ requests: 4 });
    expect(reserve(pump, ...Array(6).fill("a"))).not.toContain(false);
    queue.add(100);
    void pump.drain(never());
    await settle();
    expect(queue.wanted).toEqual([2]);
    pump.take(queue.make(6), 6, performance.now());
    await settle();
    expect(queue.wanted).toEqual([2]);
  });

  it("gives capacity back that was kept for what then did not come", async () => {
    const { pump, queue } = scriptedPump({ queues: ["a"], requests: 4 });
    expect(reserve(pump, ...Array(20).fill("a")).filter(Boolean)).toHaveLength(8);
    expect(reserve(pump, "a")).toEqual([false]);
    pump.take(queue.make(1), 8, performance.now());
    await settle();
    expect(reserve(pump, "a")).toEqual([true]);
  });

  it("finds no capacity while older work of its queue waits to be claimed, and of no other queue", async () => {
    const { pump, queue: busy } = scriptedPump({ queues: ["busy", "calm"], requests: 4 });
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
