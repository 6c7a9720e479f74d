import { describe, expect, it } from "vitest";
import { callbackAddress } from "../../src/receive/request-texts.ts";

describe("a callback's URL", () => {
  it.each([
    ["/callbacks/tok", { token: "tok", reference: null, query: "", path: "/callbacks/***" }],
    ["/callbacks/tok/", { token: "tok", reference: null, query: "", path: "/callbacks/***/" }],
    [
      "/callbacks/tok/a/b%20c?x=%zz?y",
      { token: "tok", reference: "a/b c", query: "x=%zz?y", path: "/callbacks/***/a/b%20c" },
    ],
    [
      "/callbacks/tok/cut%E2%8",
      { token: "tok", reference: "cut%E2%8", query: "", path: "/callbacks/***/cut%E2%8" },
    ],
    ["/callbacks/tok/%00", { token: "tok", reference: "\uFFFD", query: "", path: "/callbacks/***/%00" }],
    [
      "http://host:1/callbacks/tok/a?b=1",
      { token: "tok", reference: "a", query: "b=1", path: "/callbacks/***/a" },
    ],
    ["/CallBacks/tok?", { token: "tok", reference: null, query: "", path: "/callbacks/***" }],
    ["/callbacks", { token: "", reference: null, query: "", path: "/callbacks/***" }],
    ["/callbacks/%74o%6B/a", { token: "tok", reference: "a", query: "", path: "/callbacks/***/a" }],
    [
      "/callbacks/tok/%zz/a%20b/%e2%82",
      { token: "tok", reference: "%zz/a b/%e2%82", query: "", path: "/callbacks/***/%zz/a%20b/%e2%82" },
    ],
    [
      `/callbacks/%zz/${"a%20b/".repeat(1_000)}`,
      {
        token: "%zz",
        reference: "a b/".repeat(1_000),
        query: "",
        path: `/callbacks/***/${"a%20b/".repeat(1_000)}`,
      },
    ],
    ["/callbacks/%zz", { token: "%zz", reference: null, query: "", path: "/callbacks/***" }],
  ])("is taken apart: %s", (url, expected) => {
    expect(callbackAddress(url)).toEqual(expected);
  });
});
