import { expect, it } from "vitest";
import {
  parseForm,
  parseJson,
  unfoldJsonText,
} from "../../../../src/pipeline/receive/reading/decode-body.ts";

it("a document of 64 levels is read, one of 65 is none", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  expect(parseJson(nested(64))).toEqual(JSON.parse(nested(64)));
  expect(parseJson(nested(65))).toBeUndefined();
});

it("eight texts of a document are looked into for JSON, and no ninth", () => {
  const texts = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`text${index}`, "[1]"]));
  const unfold = (count: number) => unfoldJsonText({ ...texts(count), data: "[2]" });
  expect(unfold(7)).toMatchObject({ text6: [1], data: [2] });
  expect(unfold(8)).toMatchObject({ text7: [1], data: "[2]" });
});

it.each([
  ["four thousand fields", `${"&".repeat(3_999)}id=1`, { id: "1" }],
  ["no more of them", `${"&".repeat(4_000)}id=1`, {}],
])("a form has at most so many fields: %s", (_what, text, fields) => {
  // A clone has a prototype, as the literals it is compared with have.
  expect(structuredClone(parseForm(text))).toStrictEqual(fields);
});
