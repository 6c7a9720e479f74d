import { expect, it } from "vitest";
import { parseJson, unfoldJsonText } from "../../../src/receive/reading/parse-json.ts";

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
