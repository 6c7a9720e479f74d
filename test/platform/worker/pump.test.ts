import { describe, expect, it, vi } from "vitest";
import { finish, inBatches, never, onFakeTime, scriptedPump, settle, slowPump } from "./scripted-pump.ts";

onFakeTime();

describe("2. what is held runs in batches, side by side", () => {
  it("at once when full or alone; a partial batch is held while another is in flight, 50 ms at most", async () => {
    const { pump, queue } = slowPump({ batchSize: 10 });
    const take = (count: number) => {
      pump.take(queue.make(count), 0, performance.now());
      return inBatches(queue);
    };
    expect(take(3)).toEqual([3]);
    expect(take(6)).toEqual([3]);
    expect(take(4)).toEqual([3, 10]);
    expect(take(3)).toEqual([3, 10]);
    await vi.advanceTimersByTimeAsync(30);
    expect(take(2)).toEqual([3, 10]);
    await vi.advanceTimersByTimeAsync(20);
    expect(inBatches(queue)).toEqual([3, 10, 5]);
  });

  it("waits no longer because another queue is busy", async () => {
    const { pump, queue: hangs, other: busy } = scriptedPump({ queues: ["hangs", "busy"], batchSize: 10 });
    hangs.answersAtOnce = false;
    pump.take(hangs.make(10), 0, performance.now());
    pump.take(hangs.make(1), 0, performance.now());
    for (let ms = 0; ms < 50; ms += 10) {
      pump.take(busy.make(10), 0, performance.now());
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(inBatches(hangs)).toEqual([10, 1]);
  });
});

it("3. a request slot is free once the upstream has answered, however long it takes to write that down", async () => {
  const { pump, queue } = slowPump({ requests: 1 });
  pump.take(queue.make(3), 0, performance.now());
  const [first] = queue.underWay;
  first?.answers();
  expect(queue.ran).toHaveLength(2);
  first?.answers();
  first?.done();
  await settle();
  expect(queue.ran).toHaveLength(2);
  await finish(queue);
  expect(queue.ran).toHaveLength(3);
});

describe("4. leases are extended while work is held", () => {
  it("three times as often as they run out: what waits, runs or is written; and then no more", async () => {
    const { pump, queue, extended } = slowPump({ requests: 1, leaseMs: 900 });
    queue.add(3);
    const drained = pump.drain(never());
    await settle();
    const [first] = queue.underWay;
    first?.answers();
    await vi.advanceTimersByTimeAsync(900);
    expect(extended).toEqual([["a-1"], ["a-1"], ["a-1"]]);
    await finish(queue);
    await drained;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(extended).toHaveLength(3);
  });

  it("a queue whose upstream takes no more releases what waits, and only that", async () => {
    const both = scriptedPump({ queues: ["refuses", "well"], requests: 2 });
    const { pump, queue: refusing, other: well, released } = both;
    refusing.answersAtOnce = false;
    well.answersAtOnce = false;
    pump.take([...refusing.make(3), ...well.make(3)], 0, performance.now());
    const [first] = refusing.underWay;
    // The second goes out as soon as the first is answered; what the answer says is known only then.
    first?.done(false);
    await settle();
    expect(released.map(({ queue, number }) => `${queue} ${number}`)).toEqual(["refuses 3"]);
    expect(refusing.ran).toHaveLength(2);
    await finish(well);
    expect(well.ran).toHaveLength(3);
  });

  it("what cannot be released runs out by itself, and is told", async () => {
    const { pump, policy, queue, warnings } = slowPump({ requests: 1 });
    policy.release = () => Promise.reject(new Error("no connection"));
    pump.take(queue.make(3), 0, performance.now());
    const drained = pump.drain(never());
    const [first] = queue.underWay;
    first?.done(false);
    await settle();
    await finish(queue);
    expect(await drained).toBeNull();
    expect(warnings).toHaveLength(1);
  });
});

const AWAY = new Error("Postgres is away");

it.each(["a stop", "a write that failed"])(
  "5. after %s what waits is released, what runs is finished, nothing more is taken",
  async (what) => {
    const { pump, queue, released, wake } = slowPump({ requests: 2 });
    queue.add(10);
    const stop = new AbortController();
    const ended = vi.fn();
    const drained = pump.drain(stop.signal).then(ended, ended);
    await settle();
    const [first] = queue.underWay;
    if (what === "a stop") stop.abort();
    else first?.fails(AWAY);
    wake.raise();
    await settle();
    expect(released.map(({ number }) => number)).toEqual([3, 4]);
    expect(ended).not.toHaveBeenCalled();
    expect(pump.reserve("a")).toBe(false);
    await finish(queue);
    await drained;
    expect(ended.mock.calls).toEqual([[what === "a stop" ? null : AWAY]]);
    expect([queue.ran.length, queue.due.length]).toEqual([2, 6]);
  },
);

describe("5. after a stop", () => {
  it("what is claimed or dispatched at that very moment is released", async () => {
    const { pump, queue, released } = scriptedPump({ queues: ["a"] });
    queue.add(2);
    const stop = new AbortController();
    queue.onClaim = () => stop.abort();
    await pump.drain(stop.signal);
    expect(released).toHaveLength(2);
    pump.take(queue.make(1), 1, performance.now());
    await pump.drain(AbortSignal.abort());
    expect(released).toHaveLength(3);
    expect(queue.ran).toEqual([]);
  });

  it("a request that does not end is cut off after 5 s, its answer still written", async () => {
    const { pump, queue } = slowPump();
    pump.take(queue.make(1), 0, performance.now());
    const stopped = pump.drain(AbortSignal.abort());
    const [batch] = queue.underWay;
    await vi.advanceTimersByTimeAsync(4_999);
    expect(batch?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(batch?.signal.aborted).toBe(true);
    batch?.done();
    await stopped;
  });

  it("the next drain, in the same process, is not cut off by the one before", async () => {
    const { pump, queue } = scriptedPump({ queues: ["a"] });
    await pump.drain(AbortSignal.abort());
    queue.answersAtOnce = false;
    queue.add(1);
    void pump.drain(never());
    await vi.advanceTimersByTimeAsync(6_000);
    const [batch] = queue.underWay;
    expect(batch?.signal.aborted).toBe(false);
  });
});

describe("5. after a write that failed", () => {
  it("the next drain goes on", async () => {
    const { pump, queue, other } = scriptedPump({ queues: ["a", "b"] });
    other.onClaim = () => {
      throw AWAY;
    };
    queue.add(3);
    await expect(pump.drain(never())).rejects.toBe(AWAY);
    other.onClaim = () => undefined;
    queue.add(3);
    other.add(3);
    await pump.drain(never());
    expect(queue.due).toEqual([]);
    expect(other.ran).toHaveLength(3);
  });

  it("of what was dispatched while nothing drained, the next drain throws it", async () => {
    const { pump, queue } = slowPump();
    pump.take(queue.make(1), 0, performance.now());
    const [first] = queue.underWay;
    first?.fails(AWAY);
    await settle();
    await expect(pump.drain(never())).rejects.toBe(AWAY);
    await pump.drain(never());
  });
});
