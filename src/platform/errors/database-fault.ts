import { type ErrorCode, messageOf } from "./errors.ts";
import { codeOf, isDatabaseAway } from "./postgres-errors.ts";

interface DatabaseFault {
  words: string;
  code: ErrorCode;
}

/** SQLSTATEs and socket errors of a database that is away, as far as there is more to say than that. */
const AWAY: Record<string, string> = {
  ECONNREFUSED: "The database does not answer: nothing listens there. Is it running? Check DATABASE_URL.",
  ENOTFOUND: "The database's host is unknown. Check the host in DATABASE_URL.",
  "53300": "The database accepts no more connections. Raise max_connections, or close some.",
  "57014": "The database cancelled a statement that took too long. Check its load and locks, then try again.",
  "55P03": "A lock in the database was held for too long. Check its locks, then try again.",
};

/** SQLSTATEs of a database that answers, but refuses. */
const REFUSED: Record<string, string> = {
  "28P01": "The database refuses the password. Check DATABASE_URL.",
  "28000": "The database refuses this user or connection. Check DATABASE_URL, and whether it asks for TLS.",
  "3D000": "The database in DATABASE_URL does not exist. Create it, or check the name at the URL's end.",
  "42501":
    "The database user lacks a privilege that this needs. Grant it, or connect as the owner of the schema.",
};

/** Certificate errors, as Node passes them on from OpenSSL. */
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY))/;

/** Common database faults, with what to check; null for any other error. */
export function databaseFault(error: unknown): DatabaseFault | null {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(inner instanceof Error)) return null;
  const code = codeOf(inner);
  if (isDatabaseAway(inner)) return { words: AWAY[code] ?? otherWords(inner), code: "database_away" };
  if (CERTIFICATE.test(code))
    return {
      words:
        `The database's certificate is not trusted (${code}). Set the CA's certificate in ` +
        "DATABASE_URL (sslrootcert=<file>) or NODE_EXTRA_CA_CERTS, and use the host name that is " +
        "in the certificate.",
      code: "settings",
    };
  const words = REFUSED[code];
  if (words === undefined) return null;
  return { words: code === "42501" ? `${words} (${messageOf(inner)})` : words, code: "failed" };
}

const otherWords = (error: Error): string =>
  `The database cannot do this at the moment (${messageOf(error)}). Try again; if it goes on, look at the server, ` +
  "and at the host and port in DATABASE_URL.";
