import { expect, test } from "vitest";
import { LeaseLost, whileLeaseHolds } from "../../src/workers/held-lease.ts";

const LEASE_MS = 30;

/** Extends as the answers say, and says when the last of them was given. */
function extending(...answers: (boolean | Error)[]) {
  const gone = Promise.withResolvers<void>();
  let calls = 0;
  return {
    allGiven: gone.promise,
    calls: () => calls,
    extend: async () => {
      const answer = answers[calls] ?? true;
      calls += 1;
      if (calls >= answers.length) gone.resolve();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

test("the lease is extended as long as the work takes, and the work's result is returned", async () => {
  const { allGiven, extend } = extending(true, true, true);
  const result = await whileLeaseHolds({ leaseMs: LEASE_MS, extend }, async (lost) => {
    await allGiven;
    return lost.aborted;
  });
  expect(result).toBe(false);
});

test("a database that is away for a moment ends nothing", async () => {
  const { allGiven, extend } = extending(new Error("Query read timeout"), true);
  const aborted = await whileLeaseHolds({ leaseMs: LEASE_MS, extend }, async (lost) => {
    await allGiven;
    return lost.aborted;
  });
  expect(aborted).toBe(false);
});

test("work whose lease is lost is told, and is extended no more", async () => {
  const { calls, extend } = extending(true, false);
  const work = whileLeaseHolds({ leaseMs: LEASE_MS, extend }, async (lost) => {
    await new Promise((resolve) => lost.addEventListener("abort", resolve));
    lost.throwIfAborted();
  });
  await expect(work).rejects.toBeInstanceOf(LeaseLost);
  expect(calls()).toBe(2);
});

test("what the work throws is thrown", async () => {
  const { extend } = extending(true);
  const work = whileLeaseHolds({ leaseMs: LEASE_MS, extend }, () => Promise.reject(new Error("no")));
  await expect(work).rejects.toThrow("no");
});
