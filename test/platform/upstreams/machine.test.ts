import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isHealthy,
  RETRY_AFTER_LIMIT_MS,
  type State,
  stateOf,
  type Transition,
  transition,
  type UpstreamReport,
  type UpstreamRow,
} from "../../../src/platform/upstreams/machine.ts";
import { SOURCE, TOPIC } from "../../../src/platform/upstreams/upstream-kind.ts";

const CLOSED: UpstreamRow = { pausedBy: null, faults: 0, slowDowns: 0, opensInMs: 0, retryInMs: 0 };
const error = "it said no";

const works: UpstreamReport = { kind: "works" };
const failed: UpstreamReport = { kind: "failed", times: 1, error };
const listRead: UpstreamReport = { kind: "list_read" };
const refused: UpstreamReport = { kind: "refused", error };
const slowDown = (retryAfterMs: number | null): UpstreamReport => ({
  kind: "slow_down",
  retryAfterMs,
  error,
});

const STANDINGS: Record<State, UpstreamRow> = {
  closed: CLOSED,
  backing_off: { ...CLOSED, faults: 5, opensInMs: 4_000 },
  half_open: { ...CLOSED, faults: 5, opensInMs: -1 },
  refused: { ...CLOSED, pausedBy: "refused" },
  paused: { ...CLOSED, pausedBy: "operator" },
};

/** What a signal makes of a upstream, with the longest jitter. */
const following = (before: UpstreamRow, signal: UpstreamReport, policy = SOURCE.policy): Transition =>
  transition(before, signal, policy, 1) ?? { upstream: before, lastError: null, raises: [], clears: [] };

const raisedBy = ({ raises }: Transition) => raises.map(({ alarm }) => alarm);

it.each<[boolean, Partial<UpstreamRow>]>([
  [true, {}],
  [true, { opensInMs: 5 }],
  [false, { pausedBy: "operator" }],
  [false, { faults: 1 }],
  [false, { slowDowns: 1 }],
  [false, { retryInMs: -1 }],
  [false, { pausedBy: "refused", faults: 1, retryInMs: 5 }],
])("is healthy, so that successful requests need no note: %s for %j", (isWell, changes) => {
  expect(isHealthy({ ...CLOSED, ...changes })).toBe(isWell);
});

it("what a list read says leaves the error of the answers that fail", () => {
  const lastErrors = [0, 1].map((faults) => made({ faults, slowDowns: 1 }, listRead)?.lastError);
  expect(lastErrors).toEqual([null, undefined]);
});

it("a pause without end is told with its reason", () => {
  const reasons = [null, "maintenance"].map((reason) => made({}, { ...pause, reason })?.raises[0]?.error);
  expect(reasons).toEqual(["", "maintenance"]);
});

describe("every state and every signal", () => {
  // The columns: works, failed, 429, 429 with Retry-After, refused.
  it.each<[State, State[]]>([
    ["closed", ["closed", "closed", "backing_off", "backing_off", "refused"]],
    ["backing_off", ["closed", "backing_off", "backing_off", "backing_off", "refused"]],
    ["half_open", ["closed", "backing_off", "backing_off", "backing_off", "refused"]],
    ["refused", ["closed", "refused", "refused", "refused", "refused"]],
    ["paused", ["paused", "paused", "paused", "paused", "paused"]],
  ])("%s becomes, by signal: %j", (state, expected) => {
    const before = STANDINGS[state];
    expect(stateOf(before, SOURCE.policy)).toBe(state);
    const signals = [works, failed, slowDown(null), slowDown(60_000), refused];
    expect(signals.map((signal) => stateOf(following(before, signal).upstream, SOURCE.policy))).toEqual(
      expected,
    );
  });

  it("a topic backs off from its first failure", () => {
    expect(stateOf(following(CLOSED, failed, TOPIC.policy).upstream, TOPIC.policy)).toBe("backing_off");
  });

  it.each([SOURCE, TOPIC])("$table tries again after 10 s at most, however often it failed", ({ policy }) => {
    const upstream = following({ ...CLOSED, faults: 100_000 }, failed, policy).upstream;
    expect(upstream.opensInMs).toBe(10_000);
  });

  it("a trial that failed is followed by the back-off, not by the rest of the time that it had", () => {
    const trying = { ...CLOSED, faults: 1, opensInMs: TOPIC.policy.trialMs - 5 };
    expect(following(trying, failed, TOPIC.policy).upstream.opensInMs).toBe(1_000);
  });
});

const made = (before: Partial<UpstreamRow>, change: Parameters<typeof transition>[1]) =>
  transition({ ...CLOSED, ...before }, change, SOURCE.policy, 1);

const LIMIT = RETRY_AFTER_LIMIT_MS;
const named = (ms: number): Partial<UpstreamRow> => ({ opensInMs: ms, retryInMs: ms });
const pause = { kind: "pause", reason: null } as const;
const resume = { kind: "resume" } as const;
const ALL = "-failing -paused -retry_after -standing";

// The alarms that are raised (+) and closed (-); nothing is written where the upstream is null.
it.each<
  [string, Partial<UpstreamRow>, Parameters<typeof transition>[1], Partial<UpstreamRow> | null, string?]
>([
  ["an answer, while all is well", {}, works, null],
  ["an answer, while a person has paused it", { pausedBy: "operator" }, works, null],
  ["an answer after a fault", { faults: 1 }, works, {}, "-failing -paused"],
  ["an answer after a refusal", { pausedBy: "refused" }, works, {}, "-failing -paused"],
  ["an answer in a pause", { pausedBy: "operator", faults: 1 }, works, { pausedBy: "operator" }, "-failing"],
  ["an answer after a named moment", { retryInMs: -1 }, works, {}, "-failing -retry_after -paused"],
  ["an answer before one", { faults: 1, opensInMs: 9, retryInMs: 5 }, works, named(5), "-failing -paused"],
  ["an answer after a 429", { slowDowns: 1 }, works, {}, "-failing -paused"],
  ["an answer after as many faults as 429s", { faults: 1, slowDowns: 1 }, works, {}, "-failing -paused"],
  ["a list, while all is well", {}, listRead, null],
  ["a list after a fault", { faults: 1 }, listRead, null],
  ["a list after a 429", { slowDowns: 1 }, listRead, {}, "-failing"],
  ["a list after a named moment", { retryInMs: -1 }, listRead, {}, "-failing -retry_after"],
  ["a list while answers fail", { faults: 5, slowDowns: 1 }, listRead, { faults: 5 }],
  ["a list before they are alarmed", { faults: 4, slowDowns: 1 }, listRead, { faults: 4 }, "-failing"],
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

  it("is a pause for another reason", () => {
    const again = made({ pausedBy: "operator" }, { ...pause, reason: "a deploy" });
    expect(again?.pause).toEqual({ reason: "a deploy" });
  });
});

/** What may happen to an upstream, a person left out, and how much time passes before it. */
const event = fc.record({
  passesMs: fc.integer({ min: 0, max: 400_000 }),
  signal: fc.oneof<fc.Arbitrary<UpstreamReport>[]>(
    fc.constant(works),
    fc.constant({ kind: "list_read" } as const),
    fc.integer({ min: 1, max: 8 }).map((times): UpstreamReport => ({ kind: "failed", times, error })),
    fc.option(fc.integer({ min: 0, max: 4_000_000 })).map(slowDown),
    fc.constant(refused),
  ),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
});

const passing = ({ opensInMs, retryInMs, ...rest }: UpstreamRow, ms: number): UpstreamRow => ({
  ...rest,
  opensInMs: opensInMs - ms,
  // 0 says that none was named.
  retryInMs: retryInMs === 0 ? 0 : retryInMs - ms || -1,
});

const standings = fc.record<UpstreamRow>({
  pausedBy: fc.constantFrom(null, "operator", "refused"),
  faults: fc.integer({ min: 0, max: 20 }),
  slowDowns: fc.integer({ min: 0, max: 20 }),
  opensInMs: fc.integer({ min: -10_000, max: 900_000 }),
  retryInMs: fc.constant(0),
});

const policies = fc.constantFrom(SOURCE.policy, TOPIC.policy);

/** Lets these events happen, and looks at the upstream after each. */
function walk(
  start: UpstreamRow,
  policy: typeof SOURCE.policy,
  events: readonly (typeof event extends fc.Arbitrary<infer Event> ? Event : never)[],
  look: (upstream: UpstreamRow, signal: UpstreamReport, next: Transition | null, now: number) => void,
): UpstreamRow {
  let upstream = start;
  let now = 0;
  for (const { passesMs, signal, jitter } of events) {
    now += passesMs;
    upstream = passing(upstream, passesMs);
    const next = transition(upstream, signal, policy, jitter);
    look(next?.upstream ?? upstream, signal, next, now);
    upstream = next?.upstream ?? upstream;
  }
  return upstream;
}

const some = fc.array(event, { maxLength: 40 });

describe("in any order of signals, without a person", () => {
  it("a moment that the upstream named is never shortened", () => {
    fc.assert(
      fc.property(standings, policies, some, (start, policy, events) => {
        let named = Number.NEGATIVE_INFINITY;
        walk(start, policy, events, (upstream, signal, _, now) => {
          if (signal.kind === "slow_down" && signal.retryAfterMs !== null)
            named = Math.max(named, now + Math.min(signal.retryAfterMs, RETRY_AFTER_LIMIT_MS));
          if (now >= named) return;
          expect(now + upstream.opensInMs).toBeGreaterThanOrEqual(named);
          expect(stateOf(upstream, policy)).toMatch(/^(backing_off|refused|paused)$/);
        });
      }),
    );
  });

  it("no alarm is raised twice before it is closed, and none stays open once it works", () => {
    fc.assert(
      fc.property(policies, fc.array(event, { maxLength: 60 }), (policy, events) => {
        const open = new Set<string>();
        const last = walk(CLOSED, policy, events, (upstream, _signal, next) => {
          if (next === null) return;
          for (const alarm of raisedBy(next)) {
            // Asked for again a minute later, a long wait is news.
            if (alarm !== "retry_after") expect(open).not.toContain(alarm);
            open.add(alarm);
          }
          for (const alarm of next.clears) open.delete(alarm);
          expect(open.has("paused")).toBe(upstream.pausedBy === "refused");
          expect(open.has("failing")).toBe(upstream.faults + upstream.slowDowns >= policy.alarmsAfter);
        });
        const { clears } = following(passing(last, 2 * RETRY_AFTER_LIMIT_MS), works, policy);
        for (const alarm of clears) open.delete(alarm);
        expect([...open]).toEqual([]);
      }),
    );
  });

  it("the wait is bounded: 30 s, unless the upstream named a moment", () => {
    fc.assert(
      fc.property(policies, some, (policy, events) => {
        walk(CLOSED, policy, events, ({ opensInMs, retryInMs }) =>
          expect(opensInMs).toBeLessThanOrEqual(Math.max(30_000, retryInMs)),
        );
      }),
    );
  });
});
