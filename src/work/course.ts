import type { Line } from "./policy.ts";

/** What the pump knows of a line. Moments are those of `performance.now()`. */
export interface Course<Item> {
  readonly line: Line<Item>;
  /** Exchanges under way. */
  underWay: number;
  /** When its last batch went out. */
  sentAt: number;
  /** Its last claim left something behind, or the next one waits for room: nothing is handed over. */
  hasMore: boolean;
  /** When it is looked at again all the same. */
  looksAt: number;
  /** When there may be more, as its last claim said; null when only new work would change it. */
  moreAt: number | null;
}

const LONG_AGO = Number.NEGATIVE_INFINITY;

export const courseOf = <Item>(line: Line<Item>): Course<Item> => ({
  line,
  underWay: 0,
  sentAt: LONG_AGO,
  hasMore: false,
  looksAt: LONG_AGO,
  moreAt: null,
});

/** There may be something to claim; that stays so until it is looked at, room or not. */
export const isDue = ({ hasMore, looksAt }: Course<unknown>): boolean =>
  hasMore || looksAt <= performance.now();

export function lookAtAll(courses: readonly Course<unknown>[]): void {
  for (const course of courses) course.looksAt = LONG_AGO;
}

/** How long until the next of those that are not due yet becomes due, in ms; `mostMs` at most. */
export function untilNextLook(courses: readonly Course<unknown>[], mostMs: number): number {
  const now = performance.now();
  const waits = courses.map(({ looksAt }) => looksAt - now).filter((wait) => wait > 0);
  return Math.min(mostMs, ...waits);
}

/** How long until there may be more, in ms; null when only new work would change it. */
export function untilMore(courses: readonly Course<unknown>[]): number | null {
  const moments = courses.map(({ moreAt }) => moreAt).filter((moment) => moment !== null);
  return moments.length === 0 ? null : Math.max(0, Math.min(...moments) - performance.now());
}
