import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LeaseLost, leaseOf, whileHeld } from "../../../src/platform/worker/leased-rows.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Work under a lease of three seconds, each extension of which is answered as the script says, and then with true. */
function working(work: (lost: AbortSignal) => Promise<unknown>, ...answers: (boolean | Error)[]) {
  const keep = vi.fn(async () => {
    const answer = answers.shift() ?? true;
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const held = { lease: leaseOf(3_000), keep, stop: new AbortController().signal };
  return { keep, result: whileHeld(held, work) };
}

test.each([
  ["as it says", (lost: AbortSignal) => lost.throwIfAborted()],
  ["with no error of its own", () => Promise.reject(new Error("the request was cut off"))],
])("work whose lease is lost is cut off, fails %s, and is extended no more", async (_, end) => {
  const untilLost = async (lost: AbortSignal) => {
    await new Promise((resolve) => lost.addEventListener("abort", resolve));
    await end(lost);
  };
  const { keep, result } = working(untilLost, true, false);
  const failed = expect(result).rejects.toThrow(LeaseLost);
  await vi.advanceTimersByTimeAsync(9_000);
  await failed;
  expect(keep).toHaveBeenCalledTimes(2);
});

test("what the work throws is thrown", async () => {
  const error = new Error("no");
  await expect(working(() => Promise.reject(error)).result).rejects.toBe(error);
});

test.each([
  ["and no more once the work is done", []],
  ["though the database is away for a moment", [new Error("Query read timeout"), true]],
])("a lease is extended three times while it lasts, %s", async (_, answers) => {
  const done = Promise.withResolvers<void>();
  const { keep, result } = working((lost) => done.promise.then(() => lost.aborted), ...answers);
  await vi.advanceTimersByTimeAsync(999);
  expect(keep).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2_001);
  expect(keep).toHaveBeenCalledTimes(3);
  done.resolve();
  expect(await result).toBe(false);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(keep).toHaveBeenCalledTimes(3);
});

test("an extension that is under way when the work ends is the last one", async () => {
  const [extended, done] = [Promise.withResolvers<boolean>(), Promise.withResolvers<void>()];
  const { keep, result } = working(() => done.promise);
  keep.mockReturnValue(extended.promise);
  await vi.advanceTimersByTimeAsync(1_000);
  done.resolve();
  await result;
  extended.resolve(true);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(keep).toHaveBeenCalledOnce();
});
