import { isTooIntricate, jsonIn } from "../../kit/json.ts";

/** What JSON can hold. It has no undefined, so that undefined can stand for "no JSON". */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * What a callback may be made of, so that reading it costs little whatever it is (G12). Honest ones stay far
 * below; what lies beyond a limit is not read, and the next sweep finds what it named.
 */
export const READING_LIMITS = {
  /** Invoice ids of one callback. */
  ids: 100,
  /** UUIDs that a scan asks for: it is a guess. */
  guesses: 5,
  /** Levels of objects and arrays within each other. */
  depth: 64,
  /** Objects, arrays, members and elements of one document. */
  pieces: 10_000,
  /** Fields of a form or a query. */
  fields: 4_000,
  /** Texts of one document that are looked into for JSON: each that is none after all costs an exception. */
  texts: 8,
} as const;

/**
 * The JSON that a text is, whatever its Content-Type, or undefined; so is one beyond the limits. Of a key that
 * occurs twice `JSON.parse` keeps the last value, as nearly every sender's own library does; `__proto__`
 * becomes a key like any other.
 */
export function parseJson(text: string): Json | undefined {
  // Spares forms and plain text the cost of an exception.
  if (!/^\s*(?:[[{"]|null)/.test(text) || isTooIntricate(text, READING_LIMITS)) return undefined;
  return jsonIn(text) as Json | undefined;
}

/**
 * The document with its JSON text read as JSON: the whole of it, or values directly below the top, such as a
 * form's `data={…}` or an envelope whose payload was turned into text twice. Those are replaced in place.
 */
export function unfoldJsonText(document: Json): Json {
  if (typeof document === "string") return inside(document) ?? document;
  if (typeof document !== "object" || document === null || Array.isArray(document)) return document;
  let left = READING_LIMITS.texts;
  for (const key in document) {
    const value = document[key];
    if (typeof value !== "string" || !beginsLikeJson(value)) continue;
    if (left-- === 0) break;
    document[key] = inside(value) ?? value;
  }
  return document;
}

const inside = (text: string): Json | undefined => (beginsLikeJson(text) ? parseJson(text) : undefined);

const beginsLikeJson = (text: string): boolean => /^\s*[[{]/.test(text);
