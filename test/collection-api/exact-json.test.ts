import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRawJson, parseExactJson } from "../../src/collection-api/contract/exact-json.ts";
import { anyText } from "../support/any-text.ts";

/**
 * What is to be read, every number as `{ "#": its digits }`: found by taking the text apart into its tokens.
 */
const spelledOut = (json: string): unknown =>
  JSON.parse(
    json.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
      token.startsWith('"') ? token : `{"#":"${token}"}`,
    ),
  );

/** What was read, in the same form; a number is kept as it stands only where JavaScript would change it. */
function asSpelled(read: unknown): unknown {
  if (typeof read === "number") return { "#": Object.is(read, -0) ? "a lost sign" : String(read) };
  if (isRawJson(read))
    return { "#": String(Number(read.rawJSON)) === read.rawJSON ? "kept for nothing" : read.rawJSON };
  if (Array.isArray(read)) return read.map(asSpelled);
  if (typeof read !== "object" || read === null) return read;
  return Object.fromEntries(Object.entries(read).map(([name, value]) => [name, asSpelled(value)]));
}

// Few digits, so that one value is often written in two ways, within strings too.
const number = fc.oneof(
  fc.constantFrom("0", "-0", "0.0", "1.5", "1.50", "15e-1", "1e2", "100", "1E+2", "1e999", "2e999", "1e-999"),
  fc.constantFrom("9007199254740993.25", "9007199254740993", "1500.50", "40400.10", "0.75", "1e21", "-1.50"),
);
const space = fc.constantFrom("", "", "", " ", "\n\t", "\r\n ");
const string = fc.oneof(
  anyText({ maxLength: 6 }).map((text) => JSON.stringify(text)),
  number.map((digits) => `"at 08:00,${digits} ,[${digits}]"`),
  number.map((digits) => `"${digits}"`),
  number.map((digits) => `"\\",:${digits},\\\\"`),
  fc.constantFrom('"\\u0022,:1.50,"', '"\\ud800"', '"\\\\"', '"\\u005f_proto__"'),
);
// Without lone surrogates: with one as a name, V8's reviver now and then forgets how a number was written.
const key = fc.oneof(
  fc.constantFrom('"a"', '"1"', '"0"', '"__proto__"', '"\\u005f_proto__"', '""'),
  string.filter((text) => text !== '"\\ud800"'),
);
const { text } = fc.letrec<{ text: string }>((tie) => ({
  text: fc
    .tuple(
      space,
      fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.oneof(number, string, fc.constantFrom("true", "false", "null")),
        fc.array(tie("text"), { maxLength: 4 }).map((items) => `[${items.join(",") || " "}]`),
        fc
          .array(fc.tuple(key, space, tie("text")), { maxLength: 4 })
          .map((fields) => `{${fields.map(([name, gap, value]) => `${name}${gap}:${value}`).join(",")}}`),
      ),
      space,
    )
    .map((parts) => parts.join("")),
}));

describe("JSON read exactly", () => {
  it("is what JSON.parse reads, and is written again with the same digits", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        expect(JSON.stringify(parseExactJson(json))).toBe(json);
      }),
    );
  });

  it("keeps every number's own digits and nothing else, whatever surrounds them", () => {
    fc.assert(
      fc.property(text, (json) => {
        expect(asSpelled(parseExactJson(json))).toStrictEqual(spelledOut(json));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    "[1.50,1.0,-0,1e5,0.0000001,123456789012345678901]",
    '{"__proto__":{"a":1.10}}',
    '{"__proto__":1.10}',
    '{"a":1.5,"b":1.50}',
    '{"a":"x,1.50,","b":1.5}',
    "1.50",
    '["\u0091 1.50",1.50]',
    `${"[".repeat(1_000)}1.50${"]".repeat(1_000)}`,
  ])("%.60s comes back as it was", (json) => expect(JSON.stringify(parseExactJson(json))).toBe(json));

  it("refuses text nested deeper than JavaScript can write again, and text that is no JSON", () => {
    const deep = 100_000;
    expect(() => parseExactJson("[".repeat(deep) + "]".repeat(deep))).toThrow(RangeError);
    expect(() => parseExactJson('{"a":01}')).toThrow(SyntaxError);
    for (const text of [
      "{1.50:1}",
      "{1.50 :1}",
      "[1.5.0]",
      "[1.50.]",
      "[-]",
      "[1.50 2.50]",
      '["a"1.50]',
      "1.50x",
    ])
      expect(() => parseExactJson(text), text).toThrow(SyntaxError);
    // As text, where a number is looked for in an answer: what a genuine text escapes is no number.
    expect(parseExactJson('["\\u00911.50"]')).toEqual(["\u00911.50"]);
  });
});
