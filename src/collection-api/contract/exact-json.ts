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
 * `JSON.parse` that loses no digit: a number that would not be written again as it stands (`40400.10`,
 * `9007199254740993.25`, `1e2`) becomes a {@link RawJson}; every other value is what `JSON.parse` gives.
 * `JSON.stringify` of the result keeps every number's digits.
 * @throws SyntaxError for text that is no JSON, RangeError for text nested thousands of levels deep.
 */
export function parseExactJson(text: string): unknown {
  const root = { "": json.parse(text) };
  const kept = keptNumbers(text);
  return kept !== null && putInPlace(kept, root, 0) ? root[""] : parseEachExactly(text);
}

/** Right for every text, at ten times the cost: the reviver is told each number's own digits. */
function parseEachExactly(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source
      ? json.rawJSON(source)
      : value,
  );
}

// Matches every number in JSON. Text inside a string may match too, which only adds to what is found.
const NUMBER = /(?:^|[:,[])\s*(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=\s*(?:[,\]}]|$))/g;

/**
 * The numbers of a JSON text that have to keep their own digits, by value.
 * @returns null when the text seems to write one value in two ways, so that the value does not tell the
 *   digits.
 */
function keptNumbers(text: string): Map<number, RawJson> | null {
  const spelled = new Map<number, string>();
  const kept = new Map<number, RawJson>();
  // Not matchAll, which makes a copy of the pattern each time.
  NUMBER.lastIndex = 0;
  for (let found = NUMBER.exec(text); found !== null; found = NUMBER.exec(text)) {
    const digits = found[1] ?? "";
    const value = Number(digits);
    const before = spelled.get(value);
    if (before === digits) continue;
    if (before !== undefined) return null;
    spelled.set(value, digits);
    if (String(value) !== digits) kept.set(value, json.rawJSON(digits));
  }
  return kept;
}

/** How deep `putInPlace` looks; deeper texts are rare and left to the reviver. */
const MOST_DEPTH = 64;

/** @returns false when something is nested too deep to be looked at. */
function putInPlace(
  kept: ReadonlyMap<number, RawJson>,
  node: Record<string, unknown>,
  depth: number,
): boolean {
  if (depth > MOST_DEPTH) return false;
  for (const key of Object.keys(node)) {
    const value = node[key];
    if (typeof value === "number") node[key] = kept.get(value) ?? value;
    else if (isNode(value) && !putInPlace(kept, value, depth + 1)) return false;
  }
  return true;
}

const isNode = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

export function isRawJson(value: unknown): value is RawJson {
  return json.isRawJSON(value);
}

/** A number that `JSON.stringify` writes with exactly the digits of `digits`, such as `40400.10`. */
export function rawJsonNumber(digits: string): RawJson {
  return json.rawJSON(digits);
}
