import { describe, expect, it } from "vitest";
import { parseForm } from "../../../src/receive/reading/parse-json.ts";

// A clone has a prototype, as the literals it is compared with have.
const parse = (text: string) => structuredClone(parseForm(text));

describe("keys describe a tree", () => {
  it.each([
    ["a value before what stands below its key", "data=1&data[id]=2", { data: { "": "1", id: "2" } }],
    ["a value after what stands below its key", "data[id]=2&data=1", { data: { id: "2", "": "1" } }],
    ["an array before what stands below its key", "a=1&a=2&a[b]=3", { a: { "": ["1", "2"], b: "3" } }],
  ])("%s", (_what, text, fields) => {
    expect(parse(text)).toStrictEqual(fields);
  });

  it("six deep, and a deeper key stays one flat key", () => {
    expect(parse("a[b][c][d][e][f]=1")).toStrictEqual({ a: { b: { c: { d: { e: { f: "1" } } } } } });
    expect(parse("a.b.c.d.e.f=1")).toStrictEqual({ a: { b: { c: { d: { e: { f: "1" } } } } } });
    expect(parse("a[b][c][d][e][f][g]=1")).toStrictEqual({ "a[b][c][d][e][f][g]": "1" });
  });
});

it("four thousand fields are read", () => {
  expect(parse(`${"&".repeat(3_999)}id=1`)).toStrictEqual({ id: "1" });
  expect(parse(`${"&".repeat(4_000)}id=1`)).toStrictEqual({});
});
