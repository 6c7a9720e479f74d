const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

const JITTER = 0.1;

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

/** After a fault no step is spent. No longer than the source's own: once that is tried again, one is due. */
export const FAULT_BACK_OFF = { firstMs: SECOND, capMs: 10 * SECOND };

/**
 * The longest wait after so many steps of a ladder, in ms, by their number. A Retry-After may ask for more:
 * the source is held back for that, in its own row.
 */
export const LONGEST_WAITS: readonly number[] = [0, ...UNPAID_LADDER].map((step) =>
  Math.max(FAULT_BACK_OFF.capMs, step * (1 + JITTER)),
);

/**
 * The wait before the next confirmation, in ms, or null when the ladder has ended.
 * @param attempt how many of its steps are spent.
 * @param dice from 0 to 1; moves the wait by up to a tenth either way, so that a burst does not stay one.
 */
export function nextStep(ladder: readonly number[], attempt: number, dice: number): number | null {
  const step = ladder[attempt];
  return step === undefined ? null : Math.round(step * (1 + JITTER * (2 * dice - 1)));
}
