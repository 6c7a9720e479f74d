import { type RawBuilder, sql } from "kysely";

/** A length of time as Postgres takes it. */
export const interval = (ms: number): RawBuilder<unknown> => sql`${`${ms} ms`}::interval`;

/**
 * What is allowed beyond the longest wait: the writer's clock was read later than `now()`, perhaps after
 * waiting for a lock, and a repeated callback waits for 2 s where a first ask does not.
 */
const TOLERANCE = interval(10_000);

/**
 * A condition: the moment lies further ahead than its kind ever waits, so Postgres' clock has stepped back
 * since it was written. It counts as now (G11). The rule needs nobody who saw the step.
 * @param moment a column
 * @param longest an interval: the longest wait of its kind
 */
export const isTooFarAhead = (moment: RawBuilder<unknown>, longest: RawBuilder<unknown>) =>
  sql<boolean>`${moment} > now() + ${longest} + ${TOLERANCE}`;
