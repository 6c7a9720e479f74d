/** A value that Postgres would refuse, found before it was sent; SQLSTATE 22P02, invalid text representation. */
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

/** The unique key that another row holds already; empty for any other error. */
export const takenKeyOf = (error: unknown): string =>
  error instanceof Error && codeOf(error) === "23505" && "constraint" in error
    ? String(error.constraint)
    : "";

/** The SQLSTATE, or Node's own code; empty where there is none. */
export const codeOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
};

/** pg's own words, where there is no code. */
const LOST_IN_WORDS =
  /Connection terminated|connection error and is not queryable|read timeout|timeout exceeded when trying/i;

/**
 * The connection went away under a statement, so it is unknown whether it was committed: a broken socket, SQLSTATE
 * 08 (connection exception), 57P (the server is stopping, starting or crashed), 25P03 or 25P04 (the transaction
 * took too long, for a process that was stopped perhaps).
 */
export function isLostConnection(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(08[0-9A-Z]{3}|57P0[1-5]|25P0[34])$/.test(code)) return true;
  if (["ECONNRESET", "EPIPE", "ECONNREFUSED", "ETIMEDOUT"].includes(code)) return true;
  return error instanceof Error && LOST_IN_WORDS.test(error.message);
}

/** PgBouncer's words for a wrong password or name, which it sends under the code of a broken protocol. */
const REFUSED_BY_POOLER = /authentication failed|no such (user|database)/i;

/** SQLSTATEs of a server that cannot serve now, or of a transaction that collided with another. */
const CANNOT_NOW = /^(53[0-9A-Z]{3}|57014|55P03|55000|25006|40001|40P01)$/;
const UNREACHABLE = /^(ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN)$/;

/** The socket file of a server on this machine; a missing certificate is nothing to wait for. */
const isSocketMissing = (error: Error): boolean =>
  codeOf(error) === "ENOENT" && "syscall" in error && error.syscall === "connect";

/** Postgres cannot answer just now: waiting may help, as it does not against a refused password or an unknown name. */
export function isDatabaseAway(error: unknown): boolean {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(inner instanceof Error) || REFUSED_BY_POOLER.test(inner.message)) return false;
  const code = codeOf(inner);
  return (
    isLostConnection(inner) ||
    UNREACHABLE.test(code) ||
    CANNOT_NOW.test(code) ||
    isSocketMissing(inner) ||
    (code === "" && inner.message === "timeout expired")
  );
}
