import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HeldWork } from "../../src/work/held-work.ts";
import { leaseOf } from "../../src/work/lease.ts";

const LEASE_MS = 3_000;
const WORK = { leaseToken: "token" };

/** Work whose leases are extended as `extend` says; one line. */
const holding = (extend: () => Promise<boolean>) =>
  new HeldWork<typeof WORK>({ lineOf: () => "line", lease: leaseOf(LEASE_MS), extend });

const BEGINS = { running: [WORK], lapsed: [] };
const LAPSED = { running: [], lapsed: [WORK] };

describe("work under a lease, by the process' own clock", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  it("begins while the lease lasts, which counts from before the claim", () => {
    const held = holding(async () => true);
    held.add([WORK], performance.now() - LEASE_MS + 1);
    expect(held.begin("line", 1)).toEqual(BEGINS);
  });

  it("does not begin once the lease has ended, and is held no longer", () => {
    const held = holding(async () => true);
    held.add([WORK], performance.now() - LEASE_MS);
    expect(held.begin("line", 1)).toEqual(LAPSED);
    expect(held.size).toBe(0);
  });

  it("begins after an extension, which counts from when it was asked for", async () => {
    const held = holding(async () => true);
    held.add([WORK], performance.now());
    await vi.advanceTimersByTimeAsync(3 * LEASE_MS);
    expect(held.begin("line", 1)).toEqual(BEGINS);
    held.dropWaiting();
  });

  it("does not begin when extending failed", async () => {
    const held = holding(async () => false);
    held.add([WORK], performance.now());
    await vi.advanceTimersByTimeAsync(LEASE_MS);
    expect(held.begin("line", 1)).toEqual(LAPSED);
  });

  it("does not believe an extension whose answer came after the end", async () => {
    const answer = Promise.withResolvers<boolean>();
    const held = holding(() => answer.promise);
    held.add([WORK], performance.now());
    await vi.advanceTimersByTimeAsync(LEASE_MS);
    answer.resolve(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(held.begin("line", 1)).toEqual(LAPSED);
  });
});
