/** A JSON number kept as its own digits; `JSON.stringify` writes exactly these digits again. */
export interface RawJson {
  readonly rawJSON: string;
}

interface ExactJson {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
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
