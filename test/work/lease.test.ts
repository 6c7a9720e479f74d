import { expect, onTestFinished, test, vi } from "vitest";
import { LeaseLost, leaseOf, whileHeld } from "../../src/work/lease.ts";

const LEASE = leaseOf(30);
const stop = new AbortController().signal;

/** Extends as the answers say, and says when the last of them was given. */
function extending(...answers: (boolean | Error)[]) {
  const gone = Promise.withResolvers<void>();
  let calls = 0;
  return {
    allGiven: gone.promise,
    calls: () => calls,
    keep: async () => {
      const answer = answers[calls] ?? true;
      calls += 1;
      if (calls >= answers.length) gone.resolve();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

test.each([
  ["as long as the work takes", [true, true, true]],
  ["though the database is away for a moment", [new Error("Query read timeout"), true]],
])("the lease is extended %s, and the work's result is returned", async (_, answers) => {
  const { allGiven, keep } = extending(...answers);
  const result = await whileHeld({ lease: LEASE, keep, stop }, async (lost) => {
    await allGiven;
    return lost.aborted;
  });
  expect(result).toBe(false);
});

test.each([
  ["as it says", (lost: AbortSignal) => lost.throwIfAborted()],
  ["with no error of its own", () => Promise.reject(new Error("the request was cut off"))],
])("work whose lease is lost is cut off, fails %s, and is extended no more", async (_, end) => {
  const { calls, keep } = extending(true, false);
  const work = whileHeld({ lease: LEASE, keep, stop }, async (lost) => {
    await new Promise((resolve) => lost.addEventListener("abort", resolve));
    await end(lost);
  });
  await expect(work).rejects.toThrow(LeaseLost);
  expect(calls()).toBe(2);
});

test("what the work throws is thrown", async () => {
  const error = new Error("no");
  const work = whileHeld({ lease: LEASE, keep: extending(true).keep, stop }, () => Promise.reject(error));
  await expect(work).rejects.toBe(error);
});

test("a lease is extended three times while it lasts, and no more once the work is done", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { calls, keep } = extending();
  const working = Promise.withResolvers<string>();
  const work = whileHeld({ lease: leaseOf(3_000), keep, stop }, () => working.promise);
  await vi.advanceTimersByTimeAsync(999);
  expect(calls()).toBe(0);
  await vi.advanceTimersByTimeAsync(2_001);
  expect(calls()).toBe(3);
  working.resolve("done");
  expect(await work).toBe("done");
  await vi.advanceTimersByTimeAsync(9_000);
  expect(calls()).toBe(3);
});

test("an extension that is under way when the work ends is the last one", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const extended = Promise.withResolvers<boolean>();
  const working = Promise.withResolvers<void>();
  const keep = vi.fn(() => extended.promise);
  const work = whileHeld({ lease: leaseOf(3_000), keep, stop }, () => working.promise);
  await vi.advanceTimersByTimeAsync(1_000);
  working.resolve();
  await work;
  extended.resolve(true);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(keep).toHaveBeenCalledOnce();
});
