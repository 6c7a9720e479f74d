import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  isDue,
  type Line,
  type LineState,
  lookAtAllLines,
  newLineState,
  untilMore,
  untilNextLook,
} from "../../src/work/policy.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.advanceTimersByTime(5_000);
});
afterEach(() => void vi.useRealTimers());

const state = (changes: Partial<LineState<string>> = {}): LineState<string> => ({
  ...newLineState({ name: "a" } as Line<string>),
  ...changes,
});

const inMs = (ms: number) => performance.now() + ms;

it("a line is due at first, when its time has come, and while its last claim left something behind", () => {
  expect(isDue(state())).toBe(true);
  expect(isDue(state({ looksAt: inMs(1) }))).toBe(false);
  expect(isDue(state({ looksAt: inMs(0) }))).toBe(true);
  expect(isDue(state({ looksAt: inMs(1), hasMore: true }))).toBe(true);
});

it("a wake-up makes each of them due", () => {
  const states = [state({ looksAt: inMs(500) }), state({ looksAt: inMs(900) })];
  lookAtAllLines(states);
  expect(states.map(isDue)).toEqual([true, true]);
});

it("the next look is the soonest of those that are not due, and within what is asked for", () => {
  const looking = (...ms: number[]) => ms.map((one) => state({ looksAt: inMs(one) }));
  expect(untilNextLook(looking(700, 300, 500), 1_000)).toBe(300);
  expect(untilNextLook(looking(700, 0, -50), 1_000)).toBe(700);
  expect(untilNextLook(looking(1_700), 1_000)).toBe(1_000);
  expect(untilNextLook([], 1_000)).toBe(1_000);
});

it("there may be more when the first of them says so, and never in the past", () => {
  expect(untilMore([state(), state()])).toBeNull();
  expect(untilMore([state(), state({ moreAt: inMs(700) }), state({ moreAt: inMs(300) })])).toBe(300);
  expect(untilMore([state({ moreAt: inMs(-300) })])).toBe(0);
});
