import { describe, expect, it } from "vitest";
import { moneyText, visibleText } from "../../../../src/interfaces/console/pages/kit/text.ts";
import { indentedJson } from "../../../../src/platform/values/json.ts";

describe("text from outside", () => {
  it.each([
    ["paid\u202eexe", "paid\\u202eexe"],
    ["a\u0000b\u001b[31m", "a\\u0000b\\u001b[31m"],
    ["zero\u200bwidth", "zero\\u200bwidth"],
    ["a b <b>ü €", "a b <b>ü €"],
  ])("%j hides nothing", (text, shown) => expect(visibleText(text)).toBe(shown));
});

describe("money", () => {
  it.each([
    ["1500.5", "1,500.50"],
    ["1234567.125", "1,234,567.125"],
    ["-0.1", "−0.10"],
    ["12345678901234567890.01", "12,345,678,901,234,567,890.01"],
    ["<b>", "<b>"],
  ])("%s is %s", (amount, shown) => expect(moneyText(amount)).toBe(shown));
});

it("an event is laid out without any of its values being read", () => {
  expect(indentedJson('{"a":1500.50,"b":{},"c":["x{,\\"y"]}')).toBe(
    '{\n  "a": 1500.50,\n  "b": {},\n  "c": [\n    "x{,\\"y"\n  ]\n}',
  );
  for (const other of ["<p>Bad Gateway: try again</p>", '{"cut": "of', ""])
    expect(indentedJson(other)).toBe(other);
});
