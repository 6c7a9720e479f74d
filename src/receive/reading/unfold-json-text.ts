import { type Json, parseJson } from "./parse-json.ts";
import type { UnreadSet } from "./reading-limits.ts";

/** More texts than this are not looked into: each that is not JSON after all costs an exception. */
const MOST_TEXTS = 8;

/**
 * The document with its JSON text read as JSON: the whole of it, or values directly below the top, such as a
 * form's `data={…}` or an envelope whose payload was turned into text twice. Those are replaced in place.
 */
export function unfoldJsonText(document: Json, unread: UnreadSet): Json {
  if (typeof document === "string") return inside(document, unread) ?? document;
  if (typeof document !== "object" || document === null || Array.isArray(document)) return document;
  let left = MOST_TEXTS;
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
