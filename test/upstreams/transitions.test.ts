import { describe, expect, it } from "vitest";
import {
  RETRY_AFTER_LIMIT_MS,
  transition,
  type UpstreamReport,
  type UpstreamRow,
} from "../../src/upstreams/machine.ts";
import { SOURCE } from "../../src/upstreams/upstream-kind.ts";

const CLOSED: UpstreamRow = { pausedBy: null, faults: 0, slowDowns: 0, opensInMs: 0, retryInMs: 0 };
const error = "it said no";
type Change = Parameters<typeof transition>[1];

const made = (before: Partial<UpstreamRow>, change: Change) =>
  transition({ ...CLOSED, ...before }, change, SOURCE.policy, 1);

const works: UpstreamReport = { kind: "works" };
const failed: UpstreamReport = { kind: "failed", times: 1, error };
const refused: UpstreamReport = { kind: "refused", error };
const slowDown = (retryAfterMs: number | null): UpstreamReport => ({
  kind: "slow_down",
  retryAfterMs,
  error,
});
const LIMIT = RETRY_AFTER_LIMIT_MS;
const named = (ms: number): Partial<UpstreamRow> => ({ opensInMs: ms, retryInMs: ms });
const until = new Date("2026-11-01T12:00:00Z");
const pause = { kind: "pause", until: null, reason: null } as const;
const resume = { kind: "resume" } as const;
const ALL = "-failing -paused -retry_after -standing";

// The alarms that are raised (+) and closed (-); nothing is written where the upstream is null.
it.each<[string, Partial<UpstreamRow>, Change, Partial<UpstreamRow> | null, string?]>([
  ["an answer, while all is well", {}, works, null],
  ["an answer, while a person has paused it", { pausedBy: "operator" }, works, null],
  ["an answer after a fault", { faults: 1 }, works, {}, "-failing -paused"],
  ["an answer after a refusal", { pausedBy: "refused" }, works, {}, "-failing -paused"],
  ["an answer in a pause", { pausedBy: "operator", faults: 1 }, works, { pausedBy: "operator" }, "-failing"],
  ["an answer after a named moment", { retryInMs: -1 }, works, {}, "-failing -retry_after -paused"],
  ["an answer before one", { faults: 1, opensInMs: 9, retryInMs: 5 }, works, named(5), "-failing -paused"],
  ["a failure", {}, failed, { faults: 1 }],
  ["the fifth failure in a row", { faults: 4 }, failed, { faults: 5, opensInMs: 1_000 }, "+failing"],
  ["the sixth", { faults: 5 }, failed, { faults: 6, opensInMs: 2_000 }],
  ["a refusal", { faults: 1 }, refused, { faults: 1, pausedBy: "refused" }, "+paused"],
  ["a refusal again", { pausedBy: "refused" }, refused, null],
  ["a Retry-After", {}, slowDown(700), named(700)],
  ["one within the back-off", { opensInMs: 900 }, slowDown(700), { opensInMs: 900, retryInMs: 700 }],
  ["a Retry-After of no time", {}, slowDown(0), { slowDowns: 1, opensInMs: 1_000 }],
  ["a 429 without one", {}, slowDown(null), { slowDowns: 1, opensInMs: 1_000 }],
  ["a Retry-After as long as is believed", {}, slowDown(LIMIT), named(LIMIT)],
  ["a longer one", {}, slowDown(LIMIT + 1), named(LIMIT), "+retry_after"],
  ["a longer one, under way", { retryInMs: LIMIT - 60_000 }, slowDown(LIMIT + 1), named(LIMIT)],
  ["a longer one, anew", { retryInMs: LIMIT - 60_001 }, slowDown(LIMIT + 1), named(LIMIT), "+retry_after"],
  ["a pause", { faults: 5, pausedBy: "refused" }, pause, { faults: 5, pausedBy: "operator" }, "+standing"],
  ["its end", { pausedBy: "operator" }, { ...pause, until }, { pausedBy: "operator" }, "-standing"],
  ["the same pause again", { pausedBy: "operator" }, pause, null],
  ["resume after a pause", { pausedBy: "operator" }, resume, {}, ALL],
  ["resume after a refusal", { pausedBy: "refused" }, resume, {}, ALL],
  ["resume before a named moment", named(700), resume, {}, ALL],
  ["resume while it fails", { faults: 5 }, resume, {}, ALL],
  ["resume while it is well", { faults: 4 }, resume, null],
])("%s changes the upstream, and is told", (_, before, change, becomes, told = "") => {
  const next = made(before, change);
  expect(next?.upstream ?? null).toEqual(becomes && { ...CLOSED, ...becomes });
  const alarms = [
    ...(next?.raises ?? []).map(({ alarm }) => `+${alarm}`),
    ...(next?.clears ?? []).map((one) => `-${one}`),
  ];
  expect(alarms.join(" ")).toBe(told);
});

describe("what is told", () => {
  it("is the error, which an answer and resume end, and a pause leaves", () => {
    expect(made({ faults: 4 }, failed)).toMatchObject({
      lastError: error,
      raises: [{ alarm: "failing", error }],
    });
    expect(made({ faults: 1 }, works)?.lastError).toBeNull();
    expect(made({ faults: 5 }, resume)?.lastError).toBeNull();
    expect(made({ faults: 5 }, pause)?.lastError).toBeUndefined();
  });

  it("is a pause for another reason or with another end", () => {
    const again = (changes: object) => made({ pausedBy: "operator" }, { ...pause, ...changes })?.pause;
    expect(again({ reason: "a deploy" })).toEqual({ until: null, reason: "a deploy" });
    expect(again({ until })).toEqual({ until, reason: null });
  });
});
