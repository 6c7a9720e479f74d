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

/** Stands before a number's digits while they are parsed as text: a control character, "private use one". */
const MARK = "\u0091";
const MARK_CODE = 0x91;
const [QUOTE, MINUS, ZERO, NINE] = [0x22, 0x2d, 0x30, 0x39];

/**
 * `JSON.parse` that loses no digit: a number that would not be written again as it stands (`40400.10`,
 * `9007199254740993.25`, `1e2`) becomes a {@link RawJson}; every other value is what `JSON.parse` gives.
 * `JSON.stringify` of the result keeps every number's digits.
 * @throws SyntaxError for text that is no JSON, RangeError for text nested thousands of levels deep.
 */
export function parseExactJson(text: string): unknown {
  // A reviver takes twice as long, and each confirmation reads an answer: it is left to texts that hold the mark.
  if (text.includes(MARK) || text.includes("\\u0091")) return parseEachExactly(text);
  const root = { "": json.parse(withNumbersMarked(text)) };
  return putInPlace(root, 0) ? root[""] : parseEachExactly(text);
}

/** Right for every text: the reviver receives each number's own digits. */
function parseEachExactly(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source
      ? json.rawJSON(source)
      : value,
  );
}

/** Text that begins like a number, and a colon after it, which only a key has: a string there would be a key. */
const DIGITS = /(-?\d[\d.eE+-]*)(\s*:)?/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Turns each number to be kept exact into a string: the mark, then the digits. Reads each character once. */
function withNumbersMarked(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      DIGITS.lastIndex = at;
      const [, digits = "-", colon] = DIGITS.exec(text) ?? [];
      const end = at + digits.length;
      if (colon === undefined && String(Number(digits)) !== digits && NUMBER.test(digits)) {
        parts.push(text.slice(from, at), `"${MARK}${digits}"`);
        from = end;
      }
      at = end - 1;
    }
  }
  return parts.join("") + text.slice(from);
}

/** How deep `putInPlace` looks; deeper texts are rare and left to the reviver. */
const DEEPEST = 64;

/** Numbers for their marked texts. @returns false when a value is nested too deep to read. */
function putInPlace(node: { [key: string]: unknown }, depth: number): boolean {
  if (depth > DEEPEST) return false;
  for (const key of Object.keys(node)) {
    const value = node[key];
    if (typeof value === "string") {
      if (value.charCodeAt(0) === MARK_CODE) node[key] = json.rawJSON(value.slice(1));
    } else if (isNode(value) && !putInPlace(value, depth + 1)) return false;
  }
  return true;
}

const isNode = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === "object" && value !== null;

export function isRawJson(value: unknown): value is RawJson {
  return json.isRawJSON(value);
}

/** A number that `JSON.stringify` writes with exactly the digits of `digits`, such as `40400.10`. */
export function rawJsonNumber(digits: string): RawJson {
  return json.rawJSON(digits);
}

const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

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
