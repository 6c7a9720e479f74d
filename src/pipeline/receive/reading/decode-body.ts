import { isTooIntricate, jsonIn } from "../../../platform/values/index.ts";

/** The most bytes of a callback's body. */
export const BODY_LIMIT = 256 * 1024;

/**
 * The text of a body in UTF-8. Broken bytes become U+FFFD and never throw: an id is ASCII, so it survives a
 * broken name beside it. The charset that a Content-Type names is ignored: ASCII is the same in all that occur.
 */
export function decodeText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Any JSON value. Without undefined, which can therefore stand for "no JSON". */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * Limits of a callback, so that reading any callback costs little (cheap for everyone, G12). Honest callbacks
 * stay far below. Parts beyond a limit are not read, and the next sweep finds the invoices that they named.
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
  /** Texts of one document that are tried as JSON: each text that is not JSON costs an exception. */
  texts: 8,
} as const;

/**
 * The JSON in a text, under any Content-Type; undefined for other texts and beyond the limits. Of a repeated
 * key `JSON.parse` keeps the last value, as nearly every sender's own library does; `__proto__` becomes a key
 * like any other.
 */
export function parseJson(text: string): Json | undefined {
  // Spares forms and plain text the cost of an exception.
  if (!/^\s*(?:[[{"]|null)/.test(text) || isTooIntricate(text, READING_LIMITS)) return undefined;
  return jsonIn(text) as Json | undefined;
}

/**
 * The document with its JSON text read as JSON: the whole of it, or values directly below the top, such as a
 * form's `data={…}` or an envelope whose payload was turned into text twice. These values are replaced in
 * place.
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

type Fields = { [key: string]: Json };

/**
 * The fields of a form body or a query; repeated fields become an array. Fields beyond the limit are not read.
 * Broken percent-encoding never throws.
 */
export function parseForm(text: string): Fields {
  // Without a prototype, so that a field named `__proto__` or `constructor` is a field and nothing else.
  const fields = Object.create(null) as Fields;
  for (const [key, value] of new URLSearchParams(firstFields(text))) {
    const present = fields[key];
    if (present === undefined) fields[key] = value;
    else if (Array.isArray(present)) present.push(value);
    else fields[key] = [present, value];
  }
  return fields;
}

/** Cuts before URLSearchParams sees the text: many empty fields cost it far more than as many bytes. */
function firstFields(text: string): string {
  let end = -1;
  for (let fields = 0; fields < READING_LIMITS.fields; fields += 1) {
    end = text.indexOf("&", end + 1);
    if (end === -1) return text;
  }
  return text.slice(0, end);
}
