import { describe, expect, it, vi } from "vitest";
import { finish, inBatches, never, onFakeTime, scriptedPump, settle, slowPump } from "./scripted-pump.ts";

onFakeTime();

describe("2. what is held runs in batches, side by side", () => {
  it("at once when full or alone; a partial batch is held while another is in flight, 50 ms at most", async () => {
    const { pump, line } = slowPump({ batchSize: 10 });
    const take = (count: number) => {
      pump.take(line.make(count), 0, performance.now());
      return inBatches(line);
    };
    expect(take(3)).toEqual([3]);
    expect(take(6)).toEqual([3]);
    expect(take(4)).toEqual([3, 10]);
    expect(take(3)).toEqual([3, 10]);
    await vi.advanceTimersByTimeAsync(30);
    expect(take(2)).toEqual([3, 10]);
    await vi.advanceTimersByTimeAsync(20);
    expect(inBatches(line)).toEqual([3, 10, 5]);
  });

  it("waits no longer because another line is busy", async () => {
    const { pump, line: hangs, other: busy } = scriptedPump({ lines: ["hangs", "busy"], batchSize: 10 });
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

it("3. an exchange is free once the upstream has answered, however long it takes to write that down", async () => {
  const { pump, line } = slowPump({ exchanges: 1 });
  pump.take(line.make(3), 0, performance.now());
  const [first] = line.underWay;
  first?.answers();
  expect(line.ran).toHaveLength(2);
  first?.answers();
  first?.done();
  await settle();
  expect(line.ran).toHaveLength(2);
  await finish(line);
  expect(line.ran).toHaveLength(3);
});

describe("4. leases are extended while work is held", () => {
  it("three times as often as they run out: what waits, runs or is written; and then no more", async () => {
    const { pump, line, extended } = slowPump({ exchanges: 1, leaseMs: 900 });
    line.add(3);
    const drained = pump.drain(never());
    await settle();
    const [first] = line.underWay;
    first?.answers();
    await vi.advanceTimersByTimeAsync(900);
    expect(extended).toEqual([["a-1"], ["a-1"], ["a-1"]]);
    await finish(line);
    await drained;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(extended).toHaveLength(3);
  });

  it("a line whose upstream takes no more releases what waits, and only that", async () => {
    const both = scriptedPump({ lines: ["refuses", "well"], exchanges: 2 });
    const { pump, line: refusing, other: well, givenBack } = both;
    refusing.answersAtOnce = false;
    well.answersAtOnce = false;
    pump.take([...refusing.make(3), ...well.make(3)], 0, performance.now());
    const [first] = refusing.underWay;
    // The second goes out as soon as the first is answered; what the answer says is known only then.
    first?.done(false);
    await settle();
    expect(givenBack.map(({ line, number }) => `${line} ${number}`)).toEqual(["refuses 3"]);
    expect(refusing.ran).toHaveLength(2);
    await finish(well);
    expect(well.ran).toHaveLength(3);
  });

  it("what cannot be released runs out by itself, and is told", async () => {
    const { pump, policy, line, warnings } = slowPump({ exchanges: 1 });
    policy.release = () => Promise.reject(new Error("no connection"));
    pump.take(line.make(3), 0, performance.now());
    const drained = pump.drain(never());
    const [first] = line.underWay;
    first?.done(false);
    await settle();
    await finish(line);
    expect(await drained).toBeNull();
    expect(warnings).toHaveLength(1);
  });
});

const AWAY = new Error("Postgres is away");

it.each(["a stop", "a write that failed"])(
  "5. after %s what waits is released, what runs is finished, nothing more is taken",
  async (what) => {
    const { pump, line, givenBack, wake } = slowPump({ exchanges: 2 });
    line.add(10);
    const stop = new AbortController();
    const ended = vi.fn();
    const drained = pump.drain(stop.signal).then(ended, ended);
    await settle();
    const [first] = line.underWay;
    if (what === "a stop") stop.abort();
    else first?.fails(AWAY);
    wake.raise();
    await settle();
    expect(givenBack.map(({ number }) => number)).toEqual([3, 4]);
    expect(ended).not.toHaveBeenCalled();
    expect(pump.reserve("a")).toBe(false);
    await finish(line);
    await drained;
    expect(ended.mock.calls).toEqual([[what === "a stop" ? null : AWAY]]);
    expect([line.ran.length, line.due.length]).toEqual([2, 6]);
  },
);

describe("5. after a stop", () => {
  it("what is claimed or dispatched at that very moment is released", async () => {
    const { pump, line, givenBack } = scriptedPump({ lines: ["a"] });
    line.add(2);
    const stop = new AbortController();
    line.onClaim = () => stop.abort();
    await pump.drain(stop.signal);
    expect(givenBack).toHaveLength(2);
    pump.take(line.make(1), 1, performance.now());
    await pump.drain(AbortSignal.abort());
    expect(givenBack).toHaveLength(3);
    expect(line.ran).toEqual([]);
  });

  it("an exchange that does not end is cut off after 5 s, its answer still written", async () => {
    const { pump, line } = slowPump();
    pump.take(line.make(1), 0, performance.now());
    const stopped = pump.drain(AbortSignal.abort());
    const [batch] = line.underWay;
    await vi.advanceTimersByTimeAsync(4_999);
    expect(batch?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(batch?.signal.aborted).toBe(true);
    batch?.done();
    await stopped;
  });

  it("the next drain, in the same process, is not cut off by the one before", async () => {
    const { pump, line } = scriptedPump({ lines: ["a"] });
    await pump.drain(AbortSignal.abort());
    line.answersAtOnce = false;
    line.add(1);
    void pump.drain(never());
    await vi.advanceTimersByTimeAsync(6_000);
    const [batch] = line.underWay;
    expect(batch?.signal.aborted).toBe(false);
  });
});

describe("5. after a write that failed", () => {
  it("the next drain goes on", async () => {
    const { pump, line, other } = scriptedPump({ lines: ["a", "b"] });
    other.onClaim = () => {
      throw AWAY;
    };
    line.add(3);
    await expect(pump.drain(never())).rejects.toBe(AWAY);
    other.onClaim = () => undefined;
    line.add(3);
    other.add(3);
    await pump.drain(never());
    expect(line.due).toEqual([]);
    expect(other.ran).toHaveLength(3);
  });

  it("of what was dispatched while nothing drained, the next drain throws it", async () => {
    const { pump, line } = slowPump();
    pump.take(line.make(1), 0, performance.now());
    const [first] = line.underWay;
    first?.fails(AWAY);
    await settle();
    await expect(pump.drain(never())).rejects.toBe(AWAY);
    await pump.drain(never());
  });
});
