import { describe, expect, it } from "vitest";
import { parseForm, parseQuery } from "../../../src/receive/reading/parse-form.ts";
import type { UnreadSet } from "../../../src/receive/reading/parse-json.ts";

// A clone has a prototype, as the literals it is compared with have.
const parse = (text: string) => structuredClone(parseForm(text, new Set()));

describe("keys describe a tree", () => {
  it.each([
    ["brackets", "data[id]=1", { data: { id: "1" } }],
    ["dots", "data.id=1", { data: { id: "1" } }],
    ["two below one key", "data[id]=1&data.name=2", { data: { id: "1", name: "2" } }],
    ["indexes are dropped", "events[0][data][id]=1", { events: { data: { id: "1" } } }],
    [
      "however many they are",
      "events[0][0][1].list[2][0].data[0].id=1",
      { events: { list: { data: { id: "1" } } } },
    ],
    ["a repeated field is an array", "a=1&a=2&a=3", { a: ["1", "2", "3"] }],
    ["indexed fields too", "a[0]=1&a[1]=2", { a: ["1", "2"] }],
    ["a key that is only an index stays one", "0=1", { 0: "1" }],
    ["no key", "=1", { "": "1" }],
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

  it("names of JavaScript's own are names like any other", () => {
    const fields = parseForm("__proto__[id]=1&constructor=2", new Set());
    expect(Object.keys(fields)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(fields)).toBeNull();
  });
});

describe("habits of redirects are undone", () => {
  it("an ampersand of HTML's", () => {
    expect(parse("a=1&amp;id=2")).toStrictEqual({ a: "1", id: "2" });
  });

  it("but no key that only ends alike", () => {
    expect(parse("stamp;id=2")).toStrictEqual({ "stamp;id": "2" });
  });

  it("a second question mark of a query's", () => {
    expect(structuredClone(parseQuery("a=1?id=2", new Set()))).toStrictEqual({ a: "1", id: "2" });
    expect(parse("a=1?id=2")).toStrictEqual({ a: "1?id=2" });
  });
});

it("broken percent-encoding is text", () => {
  expect(parse("a=%zz&b=%41&c=%ff")).toStrictEqual({ a: "%zz", b: "A", c: "\ufffd" });
});

it("four thousand fields are read, and what follows is left unread", () => {
  const read = (text: string) => {
    const unread: UnreadSet = new Set();
    return { fields: structuredClone(parseForm(text, unread)), unread: [...unread] };
  };
  expect(read(`${"&".repeat(3_999)}id=1`)).toStrictEqual({ fields: { id: "1" }, unread: [] });
  expect(read(`${"&".repeat(4_000)}id=1`)).toStrictEqual({ fields: {}, unread: ["fields"] });
});
