import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OneByOne, Paced, TurnQueue } from "../../src/kit/waiting.ts";

const takeAll = (queue: TurnQueue<string>) => {
  const taken: string[] = [];
  for (let item = queue.next(); item !== undefined; item = queue.next()) taken.push(item);
  return taken;
};

describe("a queue in which keys take turns", () => {
  it("gives each key one turn, in the order in which they came", () => {
    const queue = new TurnQueue<string>(10);
    for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) queue.add(item.slice(0, 1), item);
    expect(queue.next()).toBe("a1");
    queue.add("d", "d1");
    expect(takeAll(queue)).toEqual(["b1", "c1", "a2", "d1", "b2", "a3"]);
    expect(queue.size).toBe(0);
  });

  it("once full, drops the newest of whoever has the most, and the newcomer where all have as many (G8)", () => {
    const queue = new TurnQueue<string>(3);
    for (const item of ["a1", "a2", "a3"]) expect(queue.add("a", item)).toBeNull();
    expect(queue.add("a", "a4")).toBe("a4");
    expect(queue.add("b", "b1")).toBe("a3");
    expect(queue.add("c", "c1")).toBe("a2");
    expect(queue.add("d", "d1")).toBe("d1");
    expect(takeAll(queue)).toEqual(["a1", "b1", "c1"]);
  });
});

describe("what is paced", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is done at once, then at the end of its minute once for all that came meanwhile, each key by itself", () => {
    const done: string[] = [];
    const paced = new Paced({ everyMs: 60_000, act: (key) => done.push(key) });
    paced.ask("a");
    for (let n = 0; n < 100; n += 1) paced.ask("a");
    paced.ask("b");
    expect(done).toEqual(["a", "b"]);
    vi.advanceTimersByTime(59_999);
    expect(done).toEqual(["a", "b"]);
    vi.advanceTimersByTime(1);
    expect(done).toEqual(["a", "b", "a"]);
    vi.advanceTimersByTime(60_000);
    expect(done).toEqual(["a", "b", "a"]);
    paced.ask("b");
    expect(done).toEqual(["a", "b", "a", "b"]);
  });

  it("is forgotten when it is stopped", () => {
    const done: string[] = [];
    const paced = new Paced({ everyMs: 60_000, act: (key) => done.push(key) });
    paced.ask("a");
    paced.ask("a");
    paced.stop();
    vi.advanceTimersByTime(120_000);
    expect(done).toEqual(["a"]);
  });
});

it("does one after the other, in order, and goes on after one that failed", async () => {
  const turns = new OneByOne();
  const said: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = turns.run(async () => {
    said.push("first begins");
    await gate.promise;
    said.push("first ends");
    throw new Error("odd");
  });
  const second = turns.run(async () => said.push("second"));
  await Promise.resolve();
  expect(said).toEqual(["first begins"]);
  gate.resolve();
  await expect(first).rejects.toThrow("odd");
  expect(await second).toBe(3);
  expect(said).toEqual(["first begins", "first ends", "second"]);
});
