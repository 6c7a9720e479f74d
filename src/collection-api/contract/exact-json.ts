import { hash } from "node:crypto";
import { endOfString, isTooIntricate } from "../../kit/is-too-intricate.ts";

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
const ESCAPED_MARK = "\\u0091";

/**
 * `JSON.parse` that loses no digit: a number that would not be written again as it stands (`40400.10`,
 * `9007199254740993.25`, `1e2`) becomes a {@link RawJson}; every other value is what `JSON.parse` gives.
 * `JSON.stringify` of the result keeps every number's digits.
 * @throws SyntaxError for text that is no JSON, RangeError for text nested thousands of levels deep.
 */
export function parseExactJson(text: string): unknown {
  if (text.includes(MARK) || text.includes(ESCAPED_MARK)) return parseEachExactly(text);
  const root = { "": json.parse(withNumbersMarked(text)) };
  return putInPlace(root, 0) ? root[""] : parseEachExactly(text);
}

/** Right for every text, at several times the cost: the reviver is told each number's own digits. */
function parseEachExactly(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source
      ? json.rawJSON(source)
      : value,
  );
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Each number that keeps its digits becomes a string: the mark, then the digits. One look at each character. */
function withNumbersMarked(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (isDigit(code) || code === MINUS) {
      const end = endOfNumber(text, at);
      const digits = text.slice(at, end);
      if (String(Number(digits)) !== digits && NUMBER.test(digits) && !isBeforeColon(text, end)) {
        parts.push(text.slice(from, at), `"${MARK}${digits}"`);
        from = end;
      }
      at = end - 1;
    }
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(from);
}

const [QUOTE, PLUS, MINUS, POINT, COLON] = [0x22, 0x2b, 0x2d, 0x2e, 0x3a];
const [SMALL_E, LARGE_E] = [0x65, 0x45];

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;

const isInNumber = (code: number) =>
  isDigit(code) || code === POINT || code === MINUS || code === PLUS || code === SMALL_E || code === LARGE_E;

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (isInNumber(text.charCodeAt(at))) at += 1;
  return at;
}

/** Only a key is followed by a colon: a number there is no JSON, and as a string it would be a key. */
function isBeforeColon(text: string, end: number): boolean {
  let at = end;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return text.charCodeAt(at) === COLON;
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** How deep `putInPlace` looks; deeper texts are rare and left to the reviver. */
const DEEPEST = 64;

type Node = { [key: string | number]: unknown };

/** Numbers for their marked texts. @returns false when something is nested too deep to be looked at. */
function putInPlace(node: Node, depth: number): boolean {
  if (depth > DEEPEST) return false;
  // Not the keys of an array: each would become a string.
  const keys = Array.isArray(node) ? null : Object.keys(node);
  const length = keys === null ? (node.length as number) : keys.length;
  for (let at = 0; at < length; at += 1) {
    const key = keys === null ? at : (keys[at] as string);
    const value = node[key];
    if (typeof value === "string") {
      if (value.charCodeAt(0) === MARK_CODE) node[key] = json.rawJSON(value.slice(1));
    } else if (isNode(value) && !putInPlace(value, depth + 1)) return false;
  }
  return true;
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;

export function isRawJson(value: unknown): value is RawJson {
  return json.isRawJSON(value);
}

/** A number that `JSON.stringify` writes with exactly the digits of `digits`, such as `40400.10`. */
export function rawJsonNumber(digits: string): RawJson {
  return json.rawJSON(digits);
}

/** The first key that an object gives twice: readers take either. One pass. @param text that `JSON.parse` takes. */
export function duplicateKeyOf(text: string): string | undefined {
  /** The keys seen in each enclosing object; null for a list. */
  const around: (Set<string> | null)[] = [];
  let at = 0;
  while (at < text.length) {
    const sign = text[at];
    if (sign === "{") around.push(new Set());
    else if (sign === "[") around.push(null);
    else if (sign === "}" || sign === "]") around.pop();
    else if (sign === '"') {
      const end = endOfString(text, at) + 1;
      const keys = around.at(-1);
      if (keys && isBeforeColon(text, end)) {
        const key: string = JSON.parse(text.slice(at, end));
        if (keys.has(key)) return key.slice(0, 100);
        keys.add(key);
      }
      at = end;
      continue;
    }
    at += 1;
  }
  return undefined;
}

const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The envelope, and the object that is its `data`. */
const FIELDS_OF_DATA = 2;

/** Of an answer that is too intricate as a whole, a field beyond these is left out. */
const FIELD_LIMITS = { depth: 16, pieces: 1_000 };

/**
 * An answer that is too intricate to be read, without the fields of its `data` that make it so: each is a
 * text that says so, with the SHA-256 of what it was, so that a change still shows. What an invoice is and
 * whether it is paid stands in plain fields, which metadata of any shape must not hide. Looks at each
 * character a few times at most.
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
