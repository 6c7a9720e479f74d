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

const SOCKET_ERRORS = [
  ...["ECONNRESET", "EPIPE", "ECONNREFUSED", "ETIMEDOUT"],
  ...["ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"],
];

/**
 * The connection went away under a statement, so nobody knows whether it was committed, or there was none to
 * be had: a broken socket, a host that is not found, SQLSTATE 08 (connection exception), 57P (the server is
 * stopping, starting or crashed) or 53300 (all its connections are taken).
 */
export function isLostConnection(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(08[0-9A-Z]{3}|57P0[1-4]|53300)$/.test(code) || SOCKET_ERRORS.includes(code)) return true;
  return (
    error instanceof Error &&
    /Connection terminated|connection error and is not queryable|read timeout|timeout exceeded when trying/i.test(
      error.message,
    )
  );
}

/** Someone else held the lock for longer than lock_timeout. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === "55P03";

/** The database user may not do this. */
export const isNotAllowed = (error: unknown): boolean => codeOf(error) === "42501";
