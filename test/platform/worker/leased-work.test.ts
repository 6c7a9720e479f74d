import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { leaseOf } from "../../../src/platform/worker/leased-rows.ts";
import { LeasedWork } from "../../../src/platform/worker/leased-work.ts";

const LEASE_MS = 3_000;
const WORK = { leaseToken: "token" };

/** Work whose leases are extended as `extend` says; one queue. */
const holding = (extend: () => Promise<boolean>) =>
  new LeasedWork<typeof WORK>({ queueOf: () => "queue", lease: leaseOf(LEASE_MS), extend });

const BEGINS = { running: [WORK], lapsed: [] };
const LAPSED = { running: [], lapsed: [WORK] };

describe("work under a lease, by the process' own clock", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    ["while the lease lasts, which counts from before the claim", true, 1 - LEASE_MS, 0, BEGINS],
    ["no more once it has ended", true, -LEASE_MS, 0, LAPSED],
    ["after an extension, which counts from when it was asked for", true, 0, 3 * LEASE_MS, BEGINS],
    ["no more when extending failed", false, 0, LEASE_MS, LAPSED],
  ])("begins %s", async (_, isExtended, claimedMs, laterMs, found) => {
    const held = holding(async () => isExtended);
    held.add([WORK], performance.now() + claimedMs);
    await vi.advanceTimersByTimeAsync(laterMs);
    expect(held.begin("queue", 1)).toEqual(found);
    expect(held.size).toBe(found === BEGINS ? 1 : 0);
  });

  it("does not believe an extension whose answer came after the end", async () => {
    const answer = Promise.withResolvers<boolean>();
    const held = holding(() => answer.promise);
    held.add([WORK], performance.now());
    await vi.advanceTimersByTimeAsync(LEASE_MS);
    answer.resolve(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(held.begin("queue", 1)).toEqual(LAPSED);
  });
});
