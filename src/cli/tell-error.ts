import { messageOf, RelayError } from "../kit/errors.ts";
import type { Door } from "./door.ts";

/** The one place that turns an error into words: what is wrong and what to do; a stack only with LOG_LEVEL=debug. */
export function tellError(error: unknown, door: Door): void {
  door.remark(wordsFor(error));
  if (["debug", "trace"].includes(door.environment.LOG_LEVEL ?? "") && error instanceof Error)
    door.remark(error.stack ?? "");
}

/** For a person: RelayErrors say it themselves, the usual faults of a database are put in words, the rest is named. */
export function wordsFor(error: unknown): string {
  if (error instanceof RelayError) return error.message;
  const database = databaseWords(error);
  if (database !== null) return database;
  return `Something went wrong that invoice-relay did not expect: ${messageOf(error)}. LOG_LEVEL=debug shows where.`;
}

/** SQLSTATEs and socket errors that a person meets while setting up. */
const DATABASE_WORDS: Record<string, string> = {
  ECONNREFUSED: "The database does not answer: nothing listens there. Is it running? Check DATABASE_URL.",
  ENOTFOUND: "The database's host is unknown. Check the host in DATABASE_URL.",
  EAI_AGAIN: "The database's host cannot be looked up now. Check the host in DATABASE_URL, and the network.",
  ETIMEDOUT: "The database does not answer. Check the host and port in DATABASE_URL, and the firewall.",
  ECONNRESET: "The connection to the database broke. Try again.",
  "28P01": "The database refuses the password. Check DATABASE_URL.",
  "28000": "The database refuses this user or connection. Check DATABASE_URL, and whether it asks for TLS.",
  "3D000": "The database in DATABASE_URL does not exist. Create it, or check the name at the URL's end.",
  "42501": "The database user lacks a right that this needs. Grant it, or use the owner of the schema.",
  "53300": "The database takes no more connections. Raise max_connections, or stop what holds them.",
  "57P03": "The database is starting or stopping. Try again in a moment.",
};

function databaseWords(error: unknown): string | null {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const code = inner instanceof Error && "code" in inner ? String(inner.code) : "";
  if (inner instanceof Error && /timeout exceeded when trying to connect/.test(inner.message))
    return DATABASE_WORDS.ETIMEDOUT ?? null;
  const words = DATABASE_WORDS[code];
  if (words === undefined) return null;
  return code === "42501" ? `${words} (${messageOf(inner)})` : words;
}
