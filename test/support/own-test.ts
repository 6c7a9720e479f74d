import { AsyncLocalStorage } from "node:async_hooks";
import { type TestContext, onTestFinished as whenLastBegunFinished } from "vitest";

/** The test that what runs here belongs to. */
export const ownTest = new AsyncLocalStorage<TestContext>();

/**
 * Does something when the test is over: as vitest's own of that name, which takes whichever test began last
 * for ours when several run side by side (`it.concurrent`).
 */
export const onTestFinished: typeof whenLastBegunFinished = (end, timeout) =>
  (ownTest.getStore()?.onTestFinished ?? whenLastBegunFinished)(end, timeout);
