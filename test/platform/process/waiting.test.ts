import { expect, it, onTestFinished, vi } from "vitest";
import { Paced, Turns } from "../../../src/platform/process/waiting.ts";

it("what is paced is done at once, then at the end of its minute once for all that came meanwhile, each key by itself", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const done: string[] = [];
  const paced = new Paced({ everyMs: 60_000, act: (key) => done.push(key) });
  for (let n = 0; n < 100; n += 1) paced.ask("a");
  paced.ask("b");
  vi.advanceTimersByTime(59_999);
  expect(done).toEqual(["a", "b"]);
  vi.advanceTimersByTime(1);
  expect(done).toEqual(["a", "b", "a"]);
  vi.advanceTimersByTime(60_000);
  for (let n = 0; n < 2; n += 1) paced.ask("b");
  paced.stop();
  vi.advanceTimersByTime(120_000);
  expect(done).toEqual(["a", "b", "a", "b"]);
});

it("so much of a kind of work is under way at once, and the rest follows, after failures too (G8)", async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const all = works.map((work, n) => {
    const ran = turns.run(() => {
      begun.push(n);
      return work.promise;
    });
    return ran.catch(() => "failed");
  });
  expect(begun).toEqual([0, 1]);
  works[0]?.reject(new Error("a bug"));
  expect(await all[0]).toBe("failed");
  expect(begun).toEqual([0, 1, 2]);
  for (const [n, work] of works.entries()) work.resolve(n);
  expect(await Promise.all(all)).toEqual(["failed", 1, 2, 3, 4]);
  expect(await turns.run(async () => "again")).toBe("again");
});
