import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Course, courseOf, isDue, lookAtAll, untilMore, untilNextLook } from "../../src/work/course.ts";
import type { Line } from "../../src/work/policy.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.advanceTimersByTime(5_000);
});
afterEach(() => void vi.useRealTimers());

const course = (changes: Partial<Course<string>> = {}): Course<string> => ({
  ...courseOf({ name: "a" } as Line<string>),
  ...changes,
});

const inMs = (ms: number) => performance.now() + ms;

it("a line is due at first, when its time has come, and while its last claim left something behind", () => {
  expect(isDue(course())).toBe(true);
  expect(isDue(course({ looksAt: inMs(1) }))).toBe(false);
  expect(isDue(course({ looksAt: inMs(0) }))).toBe(true);
  expect(isDue(course({ looksAt: inMs(1), hasMore: true }))).toBe(true);
});

it("a wake-up makes each of them due", () => {
  const courses = [course({ looksAt: inMs(500) }), course({ looksAt: inMs(900) })];
  lookAtAll(courses);
  expect(courses.map(isDue)).toEqual([true, true]);
});

it("the next look is the soonest of those that are not due, and within what is asked for", () => {
  const looking = (...ms: number[]) => ms.map((one) => course({ looksAt: inMs(one) }));
  expect(untilNextLook(looking(700, 300, 500), 1_000)).toBe(300);
  expect(untilNextLook(looking(700, 0, -50), 1_000)).toBe(700);
  expect(untilNextLook(looking(1_700), 1_000)).toBe(1_000);
  expect(untilNextLook([], 1_000)).toBe(1_000);
});

it("there may be more when the first of them says so, and never in the past", () => {
  expect(untilMore([course(), course()])).toBeNull();
  expect(untilMore([course(), course({ moreAt: inMs(700) }), course({ moreAt: inMs(300) })])).toBe(300);
  expect(untilMore([course({ moreAt: inMs(-300) })])).toBe(0);
});
