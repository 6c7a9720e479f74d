export const DAY_MS = 86_400_000;

/** The day of a time, UTC, YYYY-MM-DD. */
export const dayOf = (at: Date | number): string => new Date(at).toISOString().slice(0, 10);

/** The start of a day, UTC. */
export const startOf = (day: string): Date => new Date(`${day}T00:00:00.000Z`);

/** So many days later; earlier when negative. */
export const addDays = (day: string, days: number): string => dayOf(startOf(day).getTime() + days * DAY_MS);

/** The number of days from one to the other. */
export const daysBetween = (first: string, last: string): number =>
  Math.round((startOf(last).getTime() - startOf(first).getTime()) / DAY_MS);

/** The last day of a period that ends before this time. */
export const lastDayBefore = (end: Date | string): string => dayOf(new Date(end).getTime() - 1);
