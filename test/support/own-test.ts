import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, beforeAll, type TestContext, onTestFinished as whenLastBegunFinished } from "vitest";

/** The test that what runs here belongs to. */
export const ownTest = new AsyncLocalStorage<TestContext>();

/**
 * Does something when the test is over: as vitest's own of that name, which takes whichever test began last
 * for ours when several run side by side (`it.concurrent`).
 */
export const onTestFinished: typeof whenLastBegunFinished = (end, timeout) =>
  (ownTest.getStore()?.onTestFinished ?? whenLastBegunFinished)(end, timeout);

/**
 * Starts something once for all tests of a file, or of a `describe`: what belongs to a test elsewhere ends with
 * the last of them. @returns gives it to a test.
 */
export function onceForAll<Value>(start: () => Promise<Value>): () => Value {
  const ends: (() => unknown)[] = [];
  let value: Value | undefined;
  const context = { onTestFinished: (end: () => unknown) => void ends.push(end) } as unknown as TestContext;
  beforeAll(async () => {
    value = await ownTest.run(context, start);
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  return () => value as Value;
}
