import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OneByOne, Paced } from "../../src/kit/waiting.ts";

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
