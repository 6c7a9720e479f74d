const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** When an unpaid invoice is asked for again: the whole ladder, in ms from the answer before. */
export const UNPAID_LADDER: readonly number[] = [
  2 * SECOND,
  10 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  HOUR,
  6 * HOUR,
  24 * HOUR,
];

/** An id that the provider does not know: the same ladder, up to ten minutes. */
export const NOT_FOUND_LADDER: readonly number[] = UNPAID_LADDER.slice(0, 5);

const JITTER = 0.1;

/**
 * The wait before the next confirmation, in ms, or null when the ladder has ended.
 * @param attempt how many of its steps are spent.
 * @param dice from 0 to 1; moves the wait by up to a tenth either way, so that a burst does not stay one.
 */
export function nextStep(ladder: readonly number[], attempt: number, dice: number): number | null {
  const step = ladder[attempt];
  return step === undefined ? null : Math.round(step * (1 + JITTER * (2 * dice - 1)));
}
