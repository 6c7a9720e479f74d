import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../../src/provider/collection-api/contract/exact-json.ts";

const number = fc.constantFrom(
  ...[
    "0",
    "-0",
    "0.0",
    "1.5",
    "1.50",
    "15e-1",
    "1e2",
    "100",
    "1E+2",
    "1e999",
    "2e999",
    "1e-999",
    "1e21",
    "-1.50",
  ],
  ...["9007199254740993.25", "9007199254740993", "1500.50", "40400.10", "0.75"],
);
const text = fc.oneof(number, fc.constantFrom('"1.50"', '"at ,[1.50]"', "true", "null", '"\\u00911.50"'));

describe("JSON read exactly", () => {
  it("keeps every number's own digits", () => {
    fc.assert(
      fc.property(fc.array(text), fc.array(text), fc.constantFrom("", " ", "\n\t"), (list, fields, space) => {
        const written = (space: string) => {
          const values = list.map((value) => space + value + space);
          const object = fields.map((value, nth) => `"a${nth}"${space}:${space}${value}${space}`);
          return `{"list":[${values.join(",")}],"object":{${object.join(",")}}}`;
        };
        const json = written("").replaceAll("\\u0091", "\u0091");
        expect(JSON.stringify(parseExactJson(written(space)))).toBe(json);
      }),
    );
  });

  it("refuses text nested deeper than JavaScript can write again, and text that is no JSON", () => {
    const nested = (levels: number) => `${"[".repeat(levels)}1.50${"]".repeat(levels)}`;
    expect(JSON.stringify(parseExactJson(nested(1_000)))).toBe(nested(1_000));
    expect(() => parseExactJson(nested(100_000))).toThrow(RangeError);
    for (const text of ['{"a":01}', "{1.50 :1}", "[1.5.0]", "[-]", "[1.50 2.50]", '["a"1.50]', "1.50x"])
      expect(() => parseExactJson(text), text).toThrow(SyntaxError);
  });
});
