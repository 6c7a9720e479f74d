import { describe, expect, it } from "vitest";
import { type Json, unfoldJsonText } from "../../../src/receive/reading/parse-json.ts";

const unfold = (document: Json) => unfoldJsonText(document, new Set());

describe("JSON text is read as JSON", () => {
  it("as the whole of a document", () => {
    expect(unfold('{"id":1}')).toEqual({ id: 1 });
  });

  it("as a value directly below the top, beside others that are none", () => {
    expect(unfold({ data: '{"id":1}', list: "[2]", note: "three", number: 4 })).toEqual({
      data: { id: 1 },
      list: [2],
      note: "three",
      number: 4,
    });
  });

  it("with space before it", () => {
    expect(unfold({ data: '\n {"id":1}' })).toEqual({ data: { id: 1 } });
    expect(unfold(" [1]")).toEqual([1]);
  });
});

describe("what stays as it is", () => {
  it.each<[string, Json]>([
    ["words", "see [1]"],
    ["a number", 5],
    ["null", null],
    ["an array, whatever its elements", ['{"id":1}']],
    ["a value deeper down", { data: { inner: '{"id":1}' } }],
    ["text that only begins like JSON", { data: "{broken" }],
    ["text that holds JSON further on", { data: 'data={"id":1}' }],
  ])("%s", (_what, document) => {
    expect(unfold(structuredClone(document))).toEqual(document);
  });
});

describe("eight texts are looked into", () => {
  const texts = (count: number, text: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`text${index}`, text]));

  it("the eighth too, and no ninth", () => {
    expect(unfold({ ...texts(7, "[1]"), data: "[2]" })).toMatchObject({ text6: [1], data: [2] });
    expect(unfold({ ...texts(8, "[1]"), data: "[2]" })).toMatchObject({ text7: [1], data: "[2]" });
  });

  it("text that does not begin like JSON is none of them", () => {
    expect(unfold({ ...texts(20, "see[1]"), data: "[2]" })).toMatchObject({ text19: "see[1]", data: [2] });
  });
});
