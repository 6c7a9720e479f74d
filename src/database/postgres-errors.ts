import { codeOf } from "../kit/away.ts";

/**
 * A value that Postgres would refuse, found before it was sent; SQLSTATE 22P02, invalid text representation.
 */
export class RefusedValue extends Error {
  readonly code = "22P02";
}

/**
 * Postgres refused what a statement carried (SQLSTATE 21 one row twice, 22 data exception, 23 constraint, 54
 * limit exceeded): some row of it is bad, and the same rows without that one would do.
 */
export function isRefusedData(error: unknown): boolean {
  return /^(21|22|23|54)[0-9A-Z]{3}$/.test(codeOf(error));
}

/**
 * Postgres rolled the transaction back for the sake of another that it collided with (SQLSTATE 40001
 * serialization failure, 40P01 deadlock): nothing of it was written, and the same again may go through.
 */
export const isCollision = (error: unknown): boolean => /^(40001|40P01)$/.test(codeOf(error));

/** Someone else held the lock for longer than lock_timeout. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === "55P03";

/** The database user may not do this. */
export const isNotAllowed = (error: unknown): boolean => codeOf(error) === "42501";
