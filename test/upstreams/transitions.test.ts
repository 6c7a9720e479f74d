import { describe, expect, it } from "vitest";
import { RETRY_AFTER_LIMIT_MS, transition, type UpstreamRow } from "../../src/upstreams/machine.ts";
import { SOURCE } from "../../src/upstreams/upstream-kind.ts";

const CLOSED: UpstreamRow = { pausedBy: null, faults: 0, slowDowns: 0, opensInMs: 0, retryInMs: 0 };
const error = "it said no";
const { policy } = SOURCE;

const made = (before: Partial<UpstreamRow>, signal: Parameters<typeof transition>[1]) =>
  transition({ ...CLOSED, ...before }, signal, policy, 1);

const pause = { kind: "pause", until: null, reason: null } as const;

describe("what an exchange changes, and what is told of it", () => {
  it("an answer changes nothing while all is well, and closes what was open", () => {
    const works = { kind: "works" } as const;
    expect(made({}, works)).toBeNull();
    expect(made({ pausedBy: "operator" }, works)).toBeNull();
    expect(made({ faults: 1 }, works)).toEqual({
      upstream: CLOSED,
      lastError: null,
      raises: [],
      clears: ["failing", "paused"],
    });
    expect(made({ pausedBy: "refused" }, works)?.clears).toEqual(["failing", "paused"]);
    expect(made({ pausedBy: "operator", faults: 1 }, works)?.clears).toEqual(["failing"]);
    expect(made({ retryInMs: -1 }, works)).toMatchObject({
      upstream: CLOSED,
      clears: ["failing", "retry_after", "paused"],
    });
    expect(made({ faults: 1, opensInMs: 700, retryInMs: 500 }, works)).toMatchObject({
      upstream: { opensInMs: 500, retryInMs: 500 },
      clears: ["failing", "paused"],
    });
  });

  it("a failure is counted, and told once it is the fifth in a row", () => {
    const failed = { kind: "failed", times: 1, error } as const;
    expect(made({}, failed)).toEqual({
      upstream: { ...CLOSED, faults: 1 },
      lastError: error,
      raises: [],
      clears: [],
    });
    expect(made({ faults: 4 }, failed)?.raises).toEqual([{ alarm: "failing", error }]);
    expect(made({ faults: 5 }, failed)?.raises).toEqual([]);
  });

  it("a refusal pauses it and is told, once", () => {
    const refused = { kind: "refused", error } as const;
    expect(made({ faults: 1 }, refused)).toEqual({
      upstream: { ...CLOSED, faults: 1, pausedBy: "refused" },
      lastError: error,
      raises: [{ alarm: "paused", error }],
      clears: [],
    });
    expect(made({ pausedBy: "refused" }, refused)).toBeNull();
  });

  it("a Retry-After is told where it is longer than what is believed", () => {
    const slowDown = (retryAfterMs: number | null) => ({ kind: "slow_down", retryAfterMs, error }) as const;
    expect(made({}, slowDown(700))).toEqual({
      upstream: { ...CLOSED, opensInMs: 700, retryInMs: 700 },
      lastError: error,
      raises: [],
      clears: [],
    });
    const told = [{ alarm: "retry_after", error }];
    expect(made({}, slowDown(RETRY_AFTER_LIMIT_MS))?.raises).toEqual([]);
    expect(made({}, slowDown(RETRY_AFTER_LIMIT_MS + 1))?.raises).toEqual(told);
    const underWay = { retryInMs: RETRY_AFTER_LIMIT_MS - 60_000 };
    expect(made(underWay, slowDown(RETRY_AFTER_LIMIT_MS + 1))?.raises).toEqual([]);
    expect(made({ retryInMs: underWay.retryInMs - 1 }, slowDown(RETRY_AFTER_LIMIT_MS + 1))?.raises).toEqual(
      told,
    );
    expect(made({}, slowDown(0))?.upstream).toEqual(made({}, slowDown(null))?.upstream);
  });
});

describe("what a person changes", () => {
  it("a pause changes nothing but that; without an end it is an alarm", () => {
    expect(made({ faults: 5, opensInMs: 700, pausedBy: "refused" }, pause)).toEqual({
      upstream: { ...CLOSED, faults: 5, opensInMs: 700, pausedBy: "operator" },
      lastError: undefined,
      raises: [{ alarm: "standing", error: "" }],
      clears: [],
      pause: { until: null, reason: null },
    });
    const ending = { ...pause, until: new Date() };
    expect(made({ pausedBy: "operator" }, ending)).toMatchObject({ raises: [], clears: ["standing"] });
  });

  it("paused already, it is paused anew for another reason or another end only", () => {
    const paused = { pausedBy: "operator" } as const;
    const until = new Date();
    expect(made(paused, pause)).toBeNull();
    expect(made(paused, { ...pause, reason: "a deploy" })?.pause).toEqual({
      until: null,
      reason: "a deploy",
    });
    expect(made(paused, { ...pause, until })?.pause).toEqual({ until, reason: null });
  });

  it.each<Partial<UpstreamRow>>([
    { pausedBy: "operator" },
    { pausedBy: "refused" },
    { opensInMs: 700, retryInMs: 700 },
    { faults: 5 },
  ])("resumed, all is over that held it: %j", (before) => {
    expect(made(before, { kind: "resume" })).toEqual({
      upstream: CLOSED,
      lastError: null,
      raises: [],
      clears: ["failing", "paused", "retry_after", "standing"],
    });
  });

  it("resumed while it is well, nothing changes", () => {
    expect(made({ faults: 4 }, { kind: "resume" })).toBeNull();
  });
});
