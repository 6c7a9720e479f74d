import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson, rawJsonNumber } from "../../../src/provider/collection-api/contract/exact-json.ts";
import { anyText } from "../../support/any-text.ts";

/** The engine's own: slower, and told each number's own digits. */
const readExactly = (text: string): unknown =>
  JSON.parse(text, (_key, value, { source }: { source?: string } = {}) =>
    typeof value === "number" && source !== undefined && String(value) !== source
      ? rawJsonNumber(source)
      : value,
  );

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
  it("keeps every number's own digits and nothing else, whatever surrounds them", () => {
    fc.assert(
      fc.property(text, (json) => {
        expect(parseExactJson(json)).toStrictEqual(readExactly(json));
      }),
      { numRuns: 2_000 },
    );
  });

  it("refuses text nested deeper than JavaScript can write again, and text that is no JSON", () => {
    const nested = (levels: number) => `${"[".repeat(levels)}1.50${"]".repeat(levels)}`;
    expect(JSON.stringify(parseExactJson(nested(1_000)))).toBe(nested(1_000));
    expect(() => parseExactJson(nested(100_000))).toThrow(RangeError);
    for (const text of ['{"a":01}', "{1.50 :1}", "[1.5.0]", "[-]", "[1.50 2.50]", '["a"1.50]', "1.50x"])
      expect(() => parseExactJson(text), text).toThrow(SyntaxError);
    // As text, where a number is looked for in an answer: what a genuine text escapes is no number.
    expect(parseExactJson('["\\u00911.50"]')).toEqual(["\u00911.50"]);
  });
});
