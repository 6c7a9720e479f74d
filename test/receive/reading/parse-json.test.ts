import { describe, expect, it } from "vitest";
import { parseJson, type UnreadSet, unfoldJsonText } from "../../../src/receive/reading/parse-json.ts";

const parse = (text: string) => parseJson(text, new Set());

describe("raw control characters within a value become spaces", () => {
  it.each([
    ["a line break", "\n"],
    ["the last below the space", "\u001f"],
    ["DEL beside one", "\n\u007f"],
    ["the first above DEL beside one", "\n\u0080"],
    ["the last of all beside one", "\n\u009f"],
  ])("%s", (_what, control) => {
    expect(parse(`{"a":"x${control}y"}`)).toEqual({ a: `x${" ".repeat(control.length)}y` });
  });

  it("and every other letter stays", () => {
    expect(parse('{"a":"\n~\u00a0éж😀"}')).toEqual({ a: " ~\u00a0éж😀" });
  });

  it("nothing changes in a document that needs no repair", () => {
    expect(parse('{"a":"x\u007fy"}')).toEqual({ a: "x\u007fy" });
  });
});

describe("one document a line", () => {
  it("is an array of them", () => {
    expect(parse('{"a":1}\n{"a":2}')).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it("lines with nothing but space between them are none", () => {
    expect(parse('{"a":1}\r\n\n  \r\n{"a":2}\r\n')).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it("one line that is no document spoils them all", () => {
    expect(parse('{"a":1}\nend')).toBeUndefined();
    expect(parse('{"a":1}\nend\n{"a":2}')).toBeUndefined();
  });
});

describe("a document beyond the limits", () => {
  const read = (text: string) => {
    const unread: UnreadSet = new Set();
    return { document: parseJson(text, unread), unread: [...unread] };
  };
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

  it("is none, and the reading says so: 64 levels are read, 65 are not", () => {
    expect(read(nested(64))).toEqual({ document: JSON.parse(nested(64)), unread: [] });
    expect(read(nested(65))).toEqual({ document: undefined, unread: ["document"] });
  });

  it("what is no document is none that was left unread", () => {
    expect(read(`data=${nested(65)}`)).toEqual({ document: undefined, unread: [] });
  });
});

it("eight texts of a document are looked into for JSON, and no ninth", () => {
  const texts = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`text${index}`, "[1]"]));
  const unfold = (count: number) => unfoldJsonText({ ...texts(count), data: "[2]" }, new Set());
  expect(unfold(7)).toMatchObject({ text6: [1], data: [2] });
  expect(unfold(8)).toMatchObject({ text7: [1], data: "[2]" });
});
