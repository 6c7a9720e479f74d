/** The days that a list is asked for, YYYY-MM-DD, first and last. */
export interface ListPeriod {
  first: string;
  last: string;
}

/** Payments from a moment, and before another. */
export interface PaidWindow {
  from: Date;
  to: Date;
}

export const DAY_MS = 86_400_000;

/** No zone is further from UTC. */
const FARTHEST_ZONE_MS = 14 * 3_600_000;

/**
 * How many days are asked for at once: progress is kept, and a list that changes is read again, in such
 * steps.
 */
const STEP_DAYS = 7;

/** The day of a moment, UTC. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);

/** Midnight at which a day begins, UTC. */
export const startOf = (day: string): Date => new Date(`${day}T00:00:00.000Z`);

export const addDays = (day: string, days: number): string =>
  dayOf(new Date(startOf(day).getTime() + days * DAY_MS));

/** How many days lie between two. */
export const daysBetween = (first: string, last: string): number =>
  Math.round((startOf(last).getTime() - startOf(first).getTime()) / DAY_MS);

/**
 * What to ask the list for, so that every payment of the window is in it whatever its dates mean (not
 * specified: interface, part A): creation or payment, in any zone, first and last day included or not.
 * @param lookbackMs how long before its payment an invoice may have been created, in ms.
 */
export function periodFor({ from, to }: PaidWindow, lookbackMs: number): ListPeriod {
  return {
    first: addDays(dayOf(new Date(from.getTime() - lookbackMs - FARTHEST_ZONE_MS)), -1),
    last: addDays(dayOf(new Date(to.getTime() + FARTHEST_ZONE_MS)), 1),
  };
}

/**
 * The days to ask for next, newest first, and what is left after them; null once nothing is. Two steps share
 * a day, so that nothing falls between them where the last day is left out.
 */
export function nextStep({ first, last }: ListPeriod): { step: ListPeriod; rest: ListPeriod | null } {
  const begin = addDays(last, -STEP_DAYS);
  if (begin <= first) return { step: { first, last }, rest: null };
  return { step: { first: begin, last }, rest: { first, last: addDays(begin, 1) } };
}

/** Two shorter periods in the place of one, the newer first; null when it cannot be shorter. */
export function halvesOf({ first, last }: ListPeriod): [newer: ListPeriod, older: ListPeriod] | null {
  const days = daysBetween(first, last);
  if (days < 3) return null;
  const middle = addDays(first, Math.floor(days / 2));
  return [
    { first: middle, last },
    { first, last: addDays(middle, 1) },
  ];
}
