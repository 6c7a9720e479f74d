import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ScriptedLine, scriptedPump } from "./scripted-policy.ts";

const never = () => new AbortController().signal;

const only = (lines: readonly ScriptedLine[], index = 0): ScriptedLine => {
  const line = lines[index];
  if (line === undefined) throw new Error("there is no such line");
  return line;
};

/** Lets everything happen that waits for no time. */
const settle = () => vi.advanceTimersByTimeAsync(0);

/** Ends every batch of a line, and what starts because of it, until nothing of it is under way. */
async function finish(line: ScriptedLine): Promise<void> {
  line.answersAtOnce = true;
  for (const batch of line.underWay) batch.done();
  await settle();
}

const inBatches = (line: ScriptedLine) => [...line.underWay].map(({ items }) => items.length);

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("1. work is claimed from each line in turn", () => {
  it("until nothing is due, each item once", async () => {
    const { pump, lines } = scriptedPump({ lines: ["a", "b", "c"] });
    for (const line of lines) line.add(100);
    const drained = pump.drain(never());
    await vi.advanceTimersByTimeAsync(100);
    expect(await drained).toBeNull();
    for (const { ran } of lines)
      expect(ran.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 100 }, (_, index) => index + 1),
      );
  });

  it("says when there may be more", async () => {
    const { pump, lines } = scriptedPump({ lines: ["a", "b", "c"] });
    only(lines, 1).moreInMs = 700;
    only(lines, 2).moreInMs = 300;
    expect(await pump.drain(never())).toBe(300);
  });

  it.each([2, 4, 8])(
    "a line that hangs never takes more than three quarters of %i exchanges",
    async (exchanges) => {
      const { pump, lines } = scriptedPump({ lines: ["hangs", "quick"], exchanges });
      const [hangs, quick] = [only(lines), only(lines, 1)];
      hangs.answersAtOnce = false;
      hangs.add(1_000);
      quick.add(1_000);
      const stop = new AbortController();
      const drained = pump.drain(stop.signal);
      await vi.advanceTimersByTimeAsync(500);
      expect(hangs.underWay.size).toBeLessThanOrEqual(Math.max(1, exchanges * 0.75));
      expect(quick.ran).toHaveLength(1_000);
      // What waits and what runs, together.
      expect(1_000 - hangs.due.length).toBeLessThanOrEqual(2 * exchanges * 0.75);
      stop.abort();
      await settle();
      await finish(hangs);
      await drained;
    },
  );

  it("a line that is slow does not keep a quick one waiting for its own work", async () => {
    const { pump, lines } = scriptedPump({ lines: ["slow", "quick"] });
    const [slow, quick] = [only(lines), only(lines, 1)];
    slow.answersAtOnce = false;
    slow.add(1_000);
    const stop = new AbortController();
    const drained = pump.drain(stop.signal);
    await settle();
    for (let round = 0; round < 50; round += 1) {
      quick.add(1);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(quick.due).toEqual([]);
    }
    stop.abort();
    await settle();
    await finish(slow);
    await drained;
  });

  it("in few large claims, not in one for each answer", async () => {
    const { pump, lines } = scriptedPump({ lines: ["a"], exchanges: 16 });
    const line = only(lines);
    line.answersAtOnce = false;
    line.add(1_000);
    const stop = new AbortController();
    const drained = pump.drain(stop.signal);
    await settle();
    while (line.due.length > 0) {
      const [first] = line.underWay;
      first?.done();
      await settle();
    }
    expect(Math.min(...line.wanted)).toBeGreaterThanOrEqual(8);
    stop.abort();
    await settle();
    await finish(line);
    await drained;
  });

  it("again at a wake-up, although there was no room when it came", async () => {
    const { pump, lines, wake } = scriptedPump({ lines: ["a"], exchanges: 2 });
    const line = only(lines);
    line.answersAtOnce = false;
    pump.take(line.make(4), pump.reserve(["a", "a", "a", "a"]).length);
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
    const { pump, lines } = scriptedPump({ lines: ["a"] });
    const line = only(lines);
    line.answersAtOnce = false;
    line.add(1);
    const drained = pump.drain(never());
    await settle();
    line.add(1);
    await vi.advanceTimersByTimeAsync(999);
    expect(line.ran).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(line.ran).toHaveLength(2);
    await finish(line);
    await drained;
  });
});

describe("1. or handed over by the transaction that made it", () => {
  it("runs at once, with no drain under way", async () => {
    const { pump, lines } = scriptedPump({ lines: ["a"] });
    const line = only(lines);
    expect(pump.reserve(["a", "a", "nobody"])).toEqual([true, true, false]);
    pump.take(line.make(2), 2);
    await settle();
    expect(line.ran).toHaveLength(2);
    expect(line.wanted).toEqual([]);
  });

  it("has the room that was kept for it: no claim takes that", async () => {
    const { pump, lines } = scriptedPump({ lines: ["a"], exchanges: 4 });
    const line = only(lines);
    line.answersAtOnce = false;
    expect(pump.reserve(Array.from({ length: 6 }, () => "a"))).toEqual(Array.from({ length: 6 }, () => true));
    line.add(100);
    const stop = new AbortController();
    const drained = pump.drain(stop.signal);
    await settle();
    expect(line.wanted).toEqual([2]);
    pump.take(line.make(6), 6);
    await settle();
    expect(line.wanted).toEqual([2]);
    stop.abort();
    await settle();
    await finish(line);
    await drained;
  });

  it("gives room back that was kept for what then did not come", async () => {
    const { pump, lines } = scriptedPump({ lines: ["a"], exchanges: 4 });
    const line = only(lines);
    expect(pump.reserve(Array.from({ length: 20 }, () => "a")).filter(Boolean)).toHaveLength(8);
    expect(pump.reserve(["a"])).toEqual([false]);
    pump.take(line.make(1), 8);
    await settle();
    expect(pump.reserve(["a"])).toEqual([true]);
  });

  it("finds no room while older work of its line waits to be claimed, and of no other line", async () => {
    const { pump, lines } = scriptedPump({ lines: ["busy", "calm"], exchanges: 4 });
    const [busy] = [only(lines)];
    busy.answersAtOnce = false;
    busy.add(100);
    const stop = new AbortController();
    const drained = pump.drain(stop.signal);
    await settle();
    expect(pump.reserve(["busy", "calm"])).toEqual([false, true]);
    pump.take([], 1);
    stop.abort();
    expect(pump.reserve(["calm"])).toEqual([false]);
    await settle();
    await finish(busy);
    await drained;
  });

  it("cannot fill all the room for one line that hangs", async () => {
    const { pump, lines } = scriptedPump({ lines: ["hangs", "quick"], exchanges: 8 });
    const [hangs, quick] = [only(lines), only(lines, 1)];
    hangs.answersAtOnce = false;
    const kept = pump.reserve(Array.from({ length: 100 }, () => "hangs")).filter(Boolean).length;
    expect(kept).toBe(12);
    pump.take(hangs.make(kept), kept);
    expect(pump.reserve(["hangs", "quick"])).toEqual([false, true]);
    pump.take(quick.make(1), 1);
    await settle();
    expect(quick.ran).toHaveLength(1);
    await finish(hangs);
  });
});

describe("2. what is held runs in batches, side by side", () => {
  it("as far as exchanges are free", async () => {
    const { pump, lines } = scriptedPump({ lines: ["a"], exchanges: 3, batchSize: 10 });
    const line = only(lines);
    line.answersAtOnce = false;
    line.add(100);
    const stop = new AbortController();
    const drained = pump.drain(stop.signal);
    await settle();
    expect(inBatches(line)).toEqual([10, 10, 10]);
    stop.abort();
    await settle();
    await finish(line);
    await drained;
  });

  it("a batch that is not full waits for company while another is under way, 50 ms at most", async () => {
    const { pump, lines } = scriptedPump({ lines: ["a"], batchSize: 10 });
    const line = only(lines);
    line.answersAtOnce = false;
    pump.take(line.make(10), 0);
    pump.take(line.make(3), 0);
    await vi.advanceTimersByTimeAsync(30);
    pump.take(line.make(2), 0);
    expect(inBatches(line)).toEqual([10]);
    await vi.advanceTimersByTimeAsync(20);
    expect(inBatches(line)).toEqual([10, 5]);
    await finish(line);
  });

  it("a batch that becomes full, or finds nothing under way, goes at once", async () => {
    const { pump, lines } = scriptedPump({ lines: ["a"], batchSize: 10 });
    const line = only(lines);
    line.answersAtOnce = false;
    pump.take(line.make(3), 0);
    expect(inBatches(line)).toEqual([3]);
    pump.take(line.make(6), 0);
    expect(inBatches(line)).toEqual([3]);
    pump.take(line.make(4), 0);
    expect(inBatches(line)).toEqual([3, 10]);
    await finish(line);
  });

  it("waits no longer because another line is busy", async () => {
    const { pump, lines } = scriptedPump({ lines: ["hangs", "busy"], batchSize: 10 });
    const [hangs, busy] = [only(lines), only(lines, 1)];
    hangs.answersAtOnce = false;
    pump.take(hangs.make(10), 0);
    pump.take(hangs.make(1), 0);
    for (let ms = 0; ms < 50; ms += 10) {
      pump.take(busy.make(10), 0);
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(inBatches(hangs)).toEqual([10, 1]);
    await finish(hangs);
  });
});

describe("3. an exchange is free once the upstream has answered", () => {
  it("however long it takes to write down what it said", async () => {
    const { pump, lines } = scriptedPump({ lines: ["a"], exchanges: 1 });
    const line = only(lines);
    line.answersAtOnce = false;
    pump.take(line.make(3), 0);
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

  it("but what waits to be written is bounded (G8)", async () => {
    const { pump, lines } = scriptedPump({ lines: ["a"], exchanges: 4 });
    const line = only(lines);
    line.answersAtOnce = false;
    line.add(1_000);
    const stop = new AbortController();
    const drained = pump.drain(stop.signal);
    for (let round = 0; round < 200; round += 1) {
      for (const batch of line.underWay) batch.answers();
      await settle();
    }
    expect(line.ran.length).toBeLessThanOrEqual(6 * 4);
    stop.abort();
    await settle();
    await finish(line);
    await drained;
  });
});

describe("4. leases are extended while work is held", () => {
  it("three times as often as they run out: what waits, runs or is written; and then no more", async () => {
    const { pump, lines, extended } = scriptedPump({ lines: ["a"], exchanges: 1, leaseMs: 900 });
    const line = only(lines);
    line.answersAtOnce = false;
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

  it("a line whose upstream takes no more gives back what waits, and only that", async () => {
    const { pump, lines, givenBack } = scriptedPump({ lines: ["shut", "well"], exchanges: 2 });
    const [shut, well] = [only(lines), only(lines, 1)];
    shut.answersAtOnce = false;
    well.answersAtOnce = false;
    pump.take([...shut.make(3), ...well.make(3)], 0);
    const [first] = shut.underWay;
    // The second goes out as soon as the first is answered; what the answer says is known only then.
    first?.done(false);
    await settle();
    expect(givenBack.map(({ line, number }) => `${line} ${number}`)).toEqual(["shut 3"]);
    expect(shut.ran).toHaveLength(2);
    await finish(well);
    expect(well.ran).toHaveLength(3);
    await finish(shut);
  });

  it("what cannot be given back runs out by itself, and is told", async () => {
    const { pump, policy, lines, warnings } = scriptedPump({ lines: ["a"], exchanges: 1 });
    const line = only(lines);
    line.answersAtOnce = false;
    policy.giveBackFails = true;
    pump.take(line.make(3), 0);
    const drained = pump.drain(never());
    const [first] = line.underWay;
    first?.done(false);
    await settle();
    await finish(line);
    expect(await drained).toBeNull();
    expect(warnings).toEqual(["leases could not be given back; they run out by themselves"]);
  });
});

describe("5. after a stop", () => {
  it("what waits is given back, what runs is finished, nothing more is taken", async () => {
    const { pump, lines, givenBack, wake } = scriptedPump({ lines: ["a"], exchanges: 2 });
    const line = only(lines);
    line.answersAtOnce = false;
    line.add(10);
    const stop = new AbortController();
    let isDrained = false;
    const drained = pump.drain(stop.signal).then(() => {
      isDrained = true;
    });
    await settle();
    stop.abort();
    wake.raise();
    await settle();
    expect(givenBack.map(({ number }) => number)).toEqual([3, 4]);
    expect(isDrained).toBe(false);
    await finish(line);
    await drained;
    expect(line.ran).toHaveLength(2);
    expect(line.due).toHaveLength(6);
  });

  it("what is claimed or handed over at that very moment is given back", async () => {
    const { pump, lines, givenBack } = scriptedPump({ lines: ["a"] });
    const line = only(lines);
    line.add(2);
    const stop = new AbortController();
    line.onClaim = () => stop.abort();
    await pump.drain(stop.signal);
    expect(givenBack).toHaveLength(2);
    pump.take(line.make(1), 1);
    await pump.drain(AbortSignal.abort());
    expect(givenBack).toHaveLength(3);
    expect(line.ran).toEqual([]);
  });

  it("an exchange that does not end is cut off after 5 s, its answer still written", async () => {
    const { pump, lines } = scriptedPump({ lines: ["a"] });
    const line = only(lines);
    line.answersAtOnce = false;
    pump.take(line.make(1), 0);
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
    const { pump, lines } = scriptedPump({ lines: ["a"] });
    const line = only(lines);
    await pump.drain(AbortSignal.abort());
    line.answersAtOnce = false;
    line.add(1);
    const drained = pump.drain(never());
    await vi.advanceTimersByTimeAsync(6_000);
    const [batch] = line.underWay;
    expect(batch?.signal.aborted).toBe(false);
    await finish(line);
    await drained;
  });
});

describe("5. after a write that failed", () => {
  it("drain throws once nothing is held: what waits is given back, what runs is finished", async () => {
    const { pump, lines, givenBack } = scriptedPump({ lines: ["a"], exchanges: 2 });
    const line = only(lines);
    line.answersAtOnce = false;
    line.add(10);
    let error: unknown;
    const drained = pump.drain(never()).catch((thrown: unknown) => {
      error = thrown;
    });
    await settle();
    const [first] = line.underWay;
    first?.fails(new Error("Postgres is away"));
    await settle();
    expect(givenBack).toHaveLength(2);
    expect(error).toBeUndefined();
    expect(pump.reserve(["a"])).toEqual([false]);
    await finish(line);
    await drained;
    expect(error).toMatchObject({ message: "Postgres is away" });
    expect(line.ran).toHaveLength(2);
  });

  it("the next drain goes on", async () => {
    const { pump, lines } = scriptedPump({ lines: ["a", "b"] });
    const line = only(lines);
    only(lines, 1).claimFails = new Error("Postgres is away");
    line.add(3);
    await expect(pump.drain(never())).rejects.toThrow("Postgres is away");
    only(lines, 1).claimFails = null;
    line.add(3);
    only(lines, 1).add(3);
    await pump.drain(never());
    expect(line.due).toEqual([]);
    expect(only(lines, 1).ran).toHaveLength(3);
  });

  it("of what was handed over while nothing drained, the next drain throws it", async () => {
    const { pump, lines } = scriptedPump({ lines: ["a"] });
    const line = only(lines);
    line.answersAtOnce = false;
    pump.take(line.make(1), 0);
    const [first] = line.underWay;
    first?.fails(new Error("Postgres is away"));
    await settle();
    await expect(pump.drain(never())).rejects.toThrow("Postgres is away");
    await pump.drain(never());
  });
});
