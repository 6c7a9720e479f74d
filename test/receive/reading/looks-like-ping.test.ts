import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/receive/reading/parse-json.ts";
import { looksLikePing } from "../../../src/receive/reading/read-callback.ts";

describe("someone only tries out the address", () => {
  it.each<[string, Json]>([
    ["null", null],
    ["an empty text", ""],
    ["a text of nothing but space", " \n"],
    ["an empty object", {}],
    ["an empty array", []],
    ["a word", "ping"],
    ["an event's name", { event: "webhook.test" }],
    ["a kind in capitals", { Event_Type: "URL_VERIFICATION", at: 5 }],
    ["a challenge, whatever its value", { challenge: 5 }],
  ])("JSON: %s", (_what, document) => {
    expect(looksLikePing(document, "")).toBe(true);
  });

  it.each(["", " \n", "ping", "Test webhook!"])("text: %j", (text) => {
    expect(looksLikePing(undefined, text)).toBe(true);
  });
});

describe("someone says something", () => {
  it.each<[string, Json]>([
    ["a number", 5],
    ["false", false],
    ["words", "paid today"],
    ["an array, whatever is in it", ["ping"]],
    ["another event", { event: "payment.test.successful" }],
    ["words that only stand beside", { event: "webhook.event" }],
    ["a kind without a word", { type: "123" }],
    ["a kind that is a number", { type: 5 }],
    ["a kind that is null", { type: null }],
    ["a kind that is a list", { type: ["ping"] }],
    ["a ping under a key that names no kind", { note: "ping" }],
  ])("JSON: %s", (_what, document) => {
    expect(looksLikePing(document, "")).toBe(false);
  });

  it.each(["paid", "test payment", "123"])("text: %j", (text) => {
    expect(looksLikePing(undefined, text)).toBe(false);
  });
});

it("a name of a ping has sixty characters at most", () => {
  const name = "ping ".repeat(12);
  expect(looksLikePing({ event: name }, "")).toBe(true);
  expect(looksLikePing({ event: `${name}!` }, "")).toBe(false);
});
