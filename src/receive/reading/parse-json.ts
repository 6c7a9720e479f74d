import { isTooIntricate } from "../../kit/is-too-intricate.ts";
import { jsonIn } from "../../kit/json.ts";

/** What JSON can hold. It has no undefined, so that undefined can stand for "no JSON". */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * The JSON that a text is, whatever its Content-Type, or undefined. Raw control characters (a NUL at the end,
 * a line break within a value) and one document per line are taken too.
 *
 * Of a key that occurs twice, `JSON.parse` keeps the last value, as nearly every sender's own library does;
 * reading both would need a parser of our own. When what is kept holds no id, the scan still sees the text of
 * the other. A document beyond the limits counts as none; `__proto__` becomes a key like any other.
 */
export function parseJson(text: string, unread: UnreadSet): Json | undefined {
  // Spares forms and plain text the cost of an exception.
  if (!/^[\s\0]*(?:[[{"]|null)/.test(text)) return undefined;
  if (isTooIntricate(text, READING_LIMITS)) {
    unread.add("document");
    return undefined;
  }
  const document = tryJson(text);
  return document === undefined ? parseRepaired(text) : document;
}

function parseRepaired(text: string): Json | undefined {
  const document = CONTROL.test(text) ? tryJson(withSpaces(text)) : undefined;
  return document === undefined ? parseLines(text) : document;
}

const CONTROL = /\p{Cc}/u;
const [SPACE, DELETE, LAST_CONTROL] = [0x20, 0x7f, 0x9f];

/** Turns control characters into spaces. Where there are many, a pattern takes ten times as long. */
function withSpaces(text: string): string {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    units[at] = unit < SPACE || (unit >= DELETE && unit <= LAST_CONTROL) ? SPACE : unit;
  }
  return Buffer.from(units.buffer).toString("utf16le");
}

function parseLines(text: string): Json | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length < 2) return undefined;
  const documents: Json[] = [];
  for (const line of lines) {
    const document = tryJson(line);
    // The first line that is not JSON ends it, so that hostile lines cost one exception and not thousands.
    if (document === undefined) return undefined;
    documents.push(document);
  }
  return documents;
}

// Also undefined for a RangeError, should an engine ever recurse: either way the scan remains.
const tryJson = (text: string) => jsonIn(text) as Json | undefined;

/** More texts than this are not looked into: each that is not JSON after all costs an exception. */
const TEXTS_LIMIT = 8;

/**
 * The document with its JSON text read as JSON: the whole of it, or values directly below the top, such as a
 * form's `data={…}` or an envelope whose payload was turned into text twice. Those are replaced in place.
 */
export function unfoldJsonText(document: Json, unread: UnreadSet): Json {
  if (typeof document === "string") return inside(document, unread) ?? document;
  if (typeof document !== "object" || document === null || Array.isArray(document)) return document;
  let left = TEXTS_LIMIT;
  for (const key in document) {
    const value = document[key];
    if (typeof value !== "string" || !beginsLikeJson(value)) continue;
    if (left-- === 0) break;
    document[key] = inside(value, unread) ?? value;
  }
  return document;
}

function inside(text: string, unread: UnreadSet): Json | undefined {
  return beginsLikeJson(text) ? parseJson(text, unread) : undefined;
}

function beginsLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

/**
 * What a callback may be made of, so that reading it costs little whatever it is (G12). Honest ones stay far
 * below; what lies beyond a limit is not read, and the callback's row says so.
 */
export const READING_LIMITS = {
  /** Invoice ids of one callback. */
  ids: 100,
  /** Levels of objects and arrays within each other. */
  depth: 64,
  /** Objects, arrays, members, elements and lines of one document. */
  pieces: 10_000,
  /** Fields of a form or a query. */
  fields: 4_000,
  /** UUIDs that a scan looks at, in one text. */
  scanned: 500,
} as const;

/** What was left unread: ids beyond the first, fields beyond the first, or a document too deep or too intricate. */
export type Unread = "ids" | "fields" | "document";

export type UnreadSet = Set<Unread>;
