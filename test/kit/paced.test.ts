import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Paced } from "../../src/kit/paced.ts";

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
