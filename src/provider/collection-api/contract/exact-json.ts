import { hash } from "node:crypto";
import { endOfString, isTooIntricate } from "../../../platform/values/index.ts";

/** A JSON number kept as its own digits; `JSON.stringify` writes exactly these digits again. */
export interface RawJson {
  readonly rawJSON: string;
}

interface ExactJson {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
  parse(
    text: string,
    reviver?: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
}

// Node 24 has these; TypeScript's library does not describe them yet.
const json: ExactJson = JSON as typeof JSON & ExactJson;

/**
 * A number that JavaScript may write otherwise: of many digits, with decimals that end in a zero, with an exponent, or
 * -0. It may also match within a text, which only costs time.
 */
const INEXACT =
  /(?:"\s*:|[[,]|^)\s*(?=[-\d])(?!(?:0|-?[1-9]\d{0,9}|-?(?:0|[1-9]\d{0,9})\.\d{0,3}[1-9])(?:[\s,\]}]|$))/;

/**
 * `JSON.parse` that loses no digit: a number that would not be written again as it stands (`40400.10`,
 * `9007199254740993.25`, `1e2`) becomes a {@link RawJson}; every other value is what `JSON.parse` gives.
 * `JSON.stringify` of the result keeps every number's digits.
 * @throws SyntaxError for text that is no JSON, RangeError for text nested thousands of levels deep.
 */
export function parseExactJson(text: string): unknown {
  // A reviver takes five times as long: it is left to texts that need it.
  if (!INEXACT.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source
      ? json.rawJSON(source)
      : value,
  );
}

export function isRawJson(value: unknown): value is RawJson {
  return json.isRawJSON(value);
}

/** A number that `JSON.stringify` writes with exactly the digits of `digits`, such as `40400.10`. */
export function rawJsonNumber(digits: string): RawJson {
  return json.rawJSON(digits);
}

const [QUOTE, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5b, 0x5d, 0x7b, 0x7d];

/** The envelope, and the object that is its `data`. */
const FIELDS_OF_DATA = 2;

/** Of an answer that is too intricate as a whole, a field beyond these is left out. */
const FIELD_LIMITS = { depth: 16, pieces: 1_000 };

/**
 * An answer too intricate to read, without the fields of its `data` that make it so. Each such field becomes
 * a text that says so, with the SHA-256 of its contents, so that a change still shows. Plain fields say which
 * invoice it is and whether it is paid; metadata of any shape must not hide them. Reads each character a few
 * times at most.
 */
export function leaveOutIntricate(text: string): string {
  const parts: string[] = [];
  let from = 0;
  let depth = 0;
  let isObject = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth -= 1;
    else if (code !== OPEN_ARRAY && code !== OPEN_OBJECT) continue;
    else if (depth === FIELDS_OF_DATA && isObject) {
      const end = endOfValue(text, at);
      const value = text.slice(at, end);
      if (isTooIntricate(value, FIELD_LIMITS)) {
        parts.push(text.slice(from, at), JSON.stringify(placeholderFor(value)));
        from = end;
      }
      at = end - 1;
    } else {
      depth += 1;
      if (depth === FIELDS_OF_DATA) isObject = code === OPEN_OBJECT;
    }
  }
  return parts.join("") + text.slice(from);
}

const placeholderFor = (value: string): string =>
  `(left out by invoice-relay: too deep, or of too many pieces; ${value.length} characters, ` +
  `SHA-256 ${hash("sha256", value)})`;

/** The index after the object or array that opens at `start`, or the text's end. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}
