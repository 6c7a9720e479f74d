const codeOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
};

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

/** pg's own words, where there is no code. */
const LOST_IN_WORDS =
  /Connection terminated|connection error and is not queryable|read timeout|timeout exceeded when trying/i;

/**
 * The connection went away under a statement, so nobody knows whether it was committed: a broken socket,
 * SQLSTATE 08 (connection exception) or 57P (the server is stopping, starting or crashed).
 */
export function isLostConnection(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(08[0-9A-Z]{3}|57P0[1-4])$/.test(code)) return true;
  if (["ECONNRESET", "EPIPE", "ECONNREFUSED", "ETIMEDOUT"].includes(code)) return true;
  return error instanceof Error && LOST_IN_WORDS.test(error.message);
}

/** Someone else held the lock for longer than lock_timeout. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === "55P03";

/** The database user may not do this. */
export const isNotAllowed = (error: unknown): boolean => codeOf(error) === "42501";
