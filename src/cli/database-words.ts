import type { ErrorCode } from "../kit/errors.ts";
import { messageOf } from "../kit/errors.ts";

/** A fault of the database as a person and a program are told of it. */
export interface DatabaseFault {
  words: string;
  code: ErrorCode;
}

const HANGS =
  "The database does not answer in time: it takes connections, but something holds it up, or a " +
  "firewall swallows what is sent. Look at its load and locks, and at the host and port in " +
  "DATABASE_URL.";
const BROKE =
  "The connection to the database broke. Try again; if it goes on breaking, look whether Postgres restarts " +
  "or fails over, and at the host and port in DATABASE_URL.";

/** SQLSTATEs and socket errors of a database that is away. */
const AWAY: Record<string, string> = {
  ECONNREFUSED: "The database does not answer: nothing listens there. Is it running? Check DATABASE_URL.",
  ENOTFOUND: "The database's host is unknown. Check the host in DATABASE_URL.",
  EAI_AGAIN: "The database's host cannot be looked up now. Check the host in DATABASE_URL, and the network.",
  EHOSTUNREACH: "The database's host cannot be reached. Check the host in DATABASE_URL, and the network.",
  ETIMEDOUT: "The database does not answer. Check the host and port in DATABASE_URL, and the firewall.",
  ECONNRESET: BROKE,
  EPIPE: BROKE,
  "08006": BROKE,
  "53300": "The database takes no more connections. Raise max_connections, or stop what holds them.",
  "57014":
    "The database gave up on a statement that took too long. Look at its load and locks, then try again.",
  "55P03": "Something holds a lock in the database for too long. Look at its locks, then try again.",
  "57P01": BROKE,
  "57P02": BROKE,
  "57P03": "The database is starting or stopping. Try again in a moment.",
};

/** Those of a database that answers, and refuses. */
const REFUSED: Record<string, string> = {
  "28P01": "The database refuses the password. Check DATABASE_URL.",
  "28000": "The database refuses this user or connection. Check DATABASE_URL, and whether it asks for TLS.",
  "3D000": "The database in DATABASE_URL does not exist. Create it, or check the name at the URL's end.",
  "42501": "The database user lacks a right that this needs. Grant it, or use the owner of the schema.",
};

/** Errors of certificates, from OpenSSL by way of Node. */
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY))/;

/** `pg` gives its own time-outs no code. */
const TIMED_OUT =
  /^(timeout expired|Query read timeout)$|timeout exceeded when trying to connect|connection timeout/;
const ENDED = /^Connection terminated|^Client has encountered a connection error/;

/** The usual faults of a database, with what to check; null for any other error. */
export function databaseFault(error: unknown): DatabaseFault | null {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(inner instanceof Error)) return null;
  const code = "code" in inner ? String(inner.code) : "";
  const away = AWAY[code] ?? awayByMessage(inner.message);
  if (away !== null) return { words: away, code: "database_away" };
  if (CERTIFICATE.test(code))
    return {
      words:
        `The database's certificate is not trusted (${code}). Give the authority's certificate in ` +
        "DATABASE_URL (sslrootcert=<file>) or in NODE_EXTRA_CA_CERTS, and the host's name as it stands " +
        "in the certificate.",
      code: "settings",
    };
  const words = REFUSED[code];
  if (words === undefined) return null;
  return { words: code === "42501" ? `${words} (${messageOf(inner)})` : words, code: "failed" };
}

function awayByMessage(message: string): string | null {
  if (TIMED_OUT.test(message)) return HANGS;
  return ENDED.test(message) ? BROKE : null;
}
