import { hash } from "node:crypto";
import pg from "pg";

/** The names of the statements seen so far. There are few: every value is a parameter. */
const names = new Map<string, string>();

/** Past this many, statements are not ours to count on, and go unprepared. */
const MOST_NAMES = 500;

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MOST_NAMES) return known;
  const name = hash("sha1", text, "base64url");
  names.set(text, name);
  return name;
}

/**
 * A connection that prepares each statement with parameters once: the large statements of the hot path take
 * Postgres longer to parse and plan than to run. Not for poolers that hand a session to another client between
 * two statements.
 */
export class PreparingClient extends pg.Client {
  override query(...given: unknown[]): never {
    const [text, values] = given;
    const name =
      typeof text === "string" && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined;
    const query = super.query as (...args: unknown[]) => never;
    return name === undefined
      ? query.apply(this, given)
      : query.call(this, { name, text, values }, ...given.slice(2));
  }
}
