import { describe, expect, it } from "vitest";
import { callbackAddress, referenceOf } from "../../../src/pipeline/receive/read-request.ts";

describe("a callback's URL", () => {
  const many = "/a%20b".repeat(1_000);
  it.each<[url: string, token: string, rest: string, query: string, reference: string | null]>([
    ["/callbacks/tok", "tok", "", "", null],
    ["/callbacks/tok/", "tok", "/", "", null],
    ["/callbacks/tok/a/b%20c?x=%zz?y", "tok", "/a/b%20c", "x=%zz?y", "a/b c"],
    ["/callbacks/tok/cut%E2%8", "tok", "/cut%E2%8", "", "cut%E2%8"],
    ["/callbacks/tok/%00%7F", "tok", "/%00%7F", "", "\uFFFD\uFFFD"],
    ["http://host:1/callbacks/tok/a?b=1", "tok", "/a", "b=1", "a"],
    ["/CallBacks/tok?", "tok", "", "", null],
    ["/callbacks", "", "", "", null],
    ["/callbacks/%74o%6B/a", "tok", "/a", "", "a"],
    ["/callbacks/tok/%zz/a%20b/%e2%82", "tok", "/%zz/a%20b/%e2%82", "", "%zz/a b/%e2%82"],
    [`/callbacks/%zz${many}`, "%zz", many, "", "/a b".repeat(1_000).slice(1)],
    ["/callbacks/%zz", "%zz", "", "", null],
  ])("is taken apart: %s", (url, token, rest, query, reference) => {
    const address = callbackAddress(url);
    expect(address).toEqual({ token, rest, query });
    expect(referenceOf(address)).toBe(reference);
  });
});
