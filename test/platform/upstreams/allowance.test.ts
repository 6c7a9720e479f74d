import { describe, expect, it } from "vitest";
import {
  admissionTo,
  allowanceOf,
  type Buckets,
  type Limits,
} from "../../../src/platform/upstreams/allowance.ts";
import type { VersionedUpstream } from "../../../src/platform/upstreams/change.ts";
import { SOURCE } from "../../../src/platform/upstreams/upstream-kind.ts";

const { policy } = SOURCE;

const WELL: VersionedUpstream = {
  ...{ pausedBy: null, faults: 0, slowDowns: 0, opensInMs: 0, retryInMs: 0, version: 1, probeInMs: 0 },
};

const NO_LIMIT: Limits = { ratePerSecond: null, unknownRatePerSecond: 10 };

const FULL: Buckets = { allowance: 20, allowanceAgeMs: 0, isFlooded: false, nextUnknownInMs: -1 };

const allowed = (changes: Partial<VersionedUpstream & Buckets>, limits: Partial<Limits> = {}, wanted = 100) =>
  allowanceOf({ ...WELL, ...FULL, ...changes }, policy, { ...NO_LIMIT, ...limits }, wanted);

describe("what an upstream admits", () => {
  const all = { total: 7, trial: false, moreInMs: null };
  const one = { total: 1, trial: true, moreInMs: null };
  const none = { total: 0, trial: false, moreInMs: null };
  it.each<[string, Partial<VersionedUpstream>, object]>([
    ["closed: all of it", {}, all],
    ["closed after some faults: all of it", { faults: policy.opensAfter - 1 }, all],
    ["half open: one, to try it", { faults: policy.opensAfter }, one],
    ["backing off: nothing until that is over", { opensInMs: 400 }, { ...none, moreInMs: 400 }],
    ["paused: nothing until it is resumed", { pausedBy: "operator", opensInMs: 400 }, none],
    ["refused: nothing before a probe", { pausedBy: "refused", probeInMs: 400 }, { ...none, moreInMs: 400 }],
    ["refused: then one, to try it", { pausedBy: "refused" }, one],
  ])("%s", (_, upstream, admission) => {
    expect(admissionTo({ ...WELL, ...upstream }, policy, 7)).toEqual(admission);
  });

  it("is never more than what is wanted", () => {
    for (const standing of [{ faults: 5 }, { pausedBy: "refused" as const }])
      expect(admissionTo({ ...WELL, ...standing }, policy, 0).total).toBe(0);
  });
});

describe("what a source may be asked", () => {
  it("without a limit is all that is wanted", () => {
    expect(allowed({})).toEqual({
      ...{ total: 100, trial: false, unknown: 100, unknownGapMs: 0, bucket: 20, moreInMs: null },
    });
  });

  it("under a limit is what its bucket holds, and says when there is more (G8)", () => {
    const found = (allowance: number, ratePerSecond: number, wanted?: number) => {
      const { total, bucket, moreInMs } = allowed({ allowance }, { ratePerSecond }, wanted);
      return { total, bucket, moreInMs };
    };
    expect(found(3.9, 100)).toEqual({ total: 3, bucket: 3.9, moreInMs: 20 });
    expect(found(0, 10)).toEqual({ total: 0, bucket: 0, moreInMs: 100 });
    expect(found(20, 100, 20)).toEqual({ total: 20, bucket: 20, moreInMs: null });
  });

  it.each([
    ["refills with time", { allowance: 1, allowanceAgeMs: 50 }, 100, 6],
    ["holds a fifth of a second at most", { allowance: 1, allowanceAgeMs: 60_000 }, 100, 20],
    ["... and one, however small the limit is", { allowance: 0, allowanceAgeMs: 60_000 }, 2, 1],
    ["loses nothing when a clock goes back", { allowance: 5, allowanceAgeMs: -1_000 }, 100, 5],
  ])("its bucket %s", (_, buckets, ratePerSecond, bucket) => {
    expect(allowed(buckets, { ratePerSecond })).toMatchObject({ bucket, total: bucket });
  });

  it.each([
    ["one, below five a second", {}, 4, { unknown: 1, unknownGapMs: 250, moreInMs: 250 }],
    ["a fifth of a second's worth", {}, 1_000, { unknown: 100, unknownGapMs: 1, moreInMs: null }],
    ["none before the last ones' time is over", { nextUnknownInMs: 70 }, 4, { unknown: 0, moreInMs: 70 }],
  ])("in a flood is about unknown ids %s", (_, buckets, unknownRatePerSecond, found) => {
    const limits = { unknownRatePerSecond };
    expect(allowed({ isFlooded: true, ...buckets }, limits)).toMatchObject({ total: 100, ...found });
  });

  it("waits for what there is more of first", () => {
    const flooded = { isFlooded: true, nextUnknownInMs: 100, allowance: 0 };
    expect(allowed(flooded, { ratePerSecond: 4 }).moreInMs).toBe(100);
    expect(allowed(flooded, { ratePerSecond: 20 }).moreInMs).toBe(50);
  });

  it.each<[string, Partial<VersionedUpstream>, number | null]>([
    ["backing off", { opensInMs: 400 }, 400],
    ["refused, and due to be probed: never with a payment", { pausedBy: "refused" }, null],
  ])("is nothing while it is %s, and the buckets stay as they are", (_, upstream, moreInMs) => {
    const given = { ...upstream, allowanceAgeMs: 60_000, isFlooded: true };
    expect(allowed(given, { ratePerSecond: 100 })).toEqual({
      ...{ total: 0, trial: false, unknown: 0, unknownGapMs: 100, bucket: 20, moreInMs },
    });
  });

  it("is one while the circuit breaker is half open, whatever the limit", () => {
    const halfOpen = { faults: policy.opensAfter };
    expect(allowed(halfOpen, { ratePerSecond: 100 })).toMatchObject({ total: 1, trial: true });
  });
});
